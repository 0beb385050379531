/* memcpy, memmove and memset on terms. */
#include "symbolic/sym_mem_internal.h"

#include "base/base.h"

enum {
	BULK_MAX = 16384, /* greatest length of a block operation on terms, in bytes */
	PIECE = 8,        /* bytes moved by one load and store */
};

struct bulk {
	struct machine *m;
	struct thread *t;
	const struct ir_insn *in;
	struct opnd to, from; /* from: address, or the byte of a memset */
	uint64_t n;           /* length, or its upper bound */
	term_t len;           /* length; TERM_NONE: it is n */
};

/* Executes an operation with known addresses, byte and length on ordinary memory. False: an operand
 * is a term, or the memory may be lazy; nothing was done. */
static bool bulk_plain(struct bulk *b, enum step *st)
{
	struct machine *m = b->m;
	uint64_t to = b->to.v.lo, from = b->from.v.lo, bad = 0;
	enum mem_status ms;
	bool w = true;

	if (b->len.id || b->to.t.id || b->from.t.id)
		return false;
	if (b->in->op == IR_MEMSET)
		ms = mem_set(&m->mem, to, (uint8_t)from, b->n, &bad);
	else
		ms = mem_move(&m->mem, to, from, b->n, &bad, &w);
	if (ms == MEM_INVALID && m->sym->lazy)
		return false;
	if (ms == MEM_OK && b->in->op == IR_MEMSET && val_u128(b->from.u))
		mem_forget(&m->mem, to, b->n);
	*st = ms == MEM_OK ? STEP_NEXT
			   : fault_memory(m, b->t, w ? to : from, b->n, w, ms, bad);
	return true;
}

static enum step bulk_overlap(struct bulk *b)
{
	struct terms *ts = b->m->ts;
	term_t to = opnd_term(b->m, b->to, 64), from = opnd_term(b->m, b->from, 64);
	term_t n = b->len.id ? b->len : term_const(ts, 64, b->n);
	bool bad;

	if (b->in->op != IR_MEMCPY)
		return STEP_NEXT;
	if (sym_decide(b->m, b->t,
		    term_and(ts, term_ne(ts, to, from),
			    term_or(ts, term_ult(ts, term_sub(ts, to, from), n),
				    term_ult(ts, term_sub(ts, from, to), n))),
		    &bad) != STEP_NEXT)
		return STEP_STOP;
	return bad ? fault_plain(b->m, b->t, FAULT_COPY_OVERLAP,
			     "source and destination of memcpy overlap", opnd_base(b->m, b->to))
		   : STEP_NEXT;
}

/* Reads all bytes, then writes them. All decisions are made. */
static void bulk_act(struct bulk *b, struct access *to, struct access *from)
{
	struct terms *ts = b->m->ts;
	unsigned step = b->len.id ? 1 : PIECE;
	uint64_t count = (b->n + step - 1) / step;
	term_t *v = xcalloc(count, sizeof *v), byte = value_term(b->m, b->from, 1), when;

	for (uint64_t i = 0; i < count; i++) {
		unsigned n = (unsigned)MIN((uint64_t)step, b->n - i * step);

		if (b->in->op != IR_MEMSET) {
			v[i] = load_all(from, i * step, n);
			continue;
		}
		v[i] = byte;
		for (unsigned k = 1; k < n; k++)
			v[i] = term_concat(ts, byte, v[i]);
	}
	for (uint64_t i = 0; i < count; i++) {
		unsigned n = (unsigned)MIN((uint64_t)step, b->n - i * step);

		when = b->len.id ? term_ult(ts, term_const(ts, 64, i), b->len)
				 : term_bool(ts, true);
		store_all(to, i * step, v[i], n, when);
	}
	free(v);
}

/* Bounds a symbolic length, after the accesses have restricted it to the objects. Concretizes it if
 * the bound is above BULK_MAX. */
static enum step bulk_length(struct bulk *b)
{
	struct sym *s = b->m->sym;
	u128 least, most;
	struct val v;

	if (!b->len.id)
		return STEP_NEXT;
	ask_range(s->ask, s->path.at, s->path.n, b->len, &least, &most);
	b->n = (uint64_t)most;
	if (b->n <= BULK_MAX)
		return STEP_NEXT;
	if (sym_value(b->m, b->t, (struct opnd){.t = b->len}, 64, "the length of a block operation",
		    SYM_VALUES, &v) != STEP_NEXT)
		return STEP_STOP;
	b->n = v.lo;
	b->len = TERM_NONE;
	return b->n <= BULK_MAX ? STEP_NEXT
				: stop_unknown(b->m, b->t, STOP_SYMBOLIC_POINTER,
					  "a block operation of unknown length is too long");
}

/* memset of a whole region: replaces its array by a constant one. False: not this case. */
static bool bulk_fill(struct bulk *b, const struct access *to)
{
	const struct spot *s = to->spots.at;
	struct lazy_region *r;
	u128 v;

	if (b->in->op != IR_MEMSET || to->spots.n != 1 || s->p.region == IR_NONE ||
		!term_is_const(to->ts, s->p.guard, &v) || !term_is_const(to->ts, s->p.offset, &v) ||
		v || !b->len.id)
		return false;
	r = lazy_at(b->m->sym->lazy, s->p.region);
	if (!term_same(r->size_term, b->len))
		return false;
	r->bytes = term_array_of(to->ts, value_term(b->m, b->from, 1));
	r->init = TERM_NONE;
	r->log = NULL;
	return true;
}

/* Concretizes the addresses of a block longer than BULK_MAX. */
static enum step bulk_long(struct bulk *b)
{
	if (b->len.id || b->n <= BULK_MAX)
		return STEP_NEXT;
	if (opnd_concretize(b->m, b->t, &b->to, 64) != STEP_NEXT)
		return STEP_STOP;
	return b->in->op == IR_MEMSET ? STEP_NEXT : opnd_concretize(b->m, b->t, &b->from, 64);
}

static enum step bulk_terms(struct bulk *b)
{
	struct access to = {0}, from = {0};
	enum step st = STEP_NEXT;

	if (b->in->op != IR_MEMSET)
		st = open_access(&from, b->m, b->t, b->from, b->n, b->len, false);
	if (st == STEP_NEXT)
		st = open_access(&to, b->m, b->t, b->to, b->n, b->len, true);
	if (st == STEP_NEXT && to.spots.n && bulk_fill(b, &to)) {
		close_access(&to);
		return STEP_NEXT;
	}
	if (st == STEP_NEXT)
		st = bulk_length(b);
	/* no spots: the length is 0 */
	if (st == STEP_NEXT && to.spots.n && (from.spots.n || b->in->op == IR_MEMSET))
		bulk_act(b, &to, &from);
	close_access(&from);
	close_access(&to);
	return st;
}

enum step sym_bulk(struct machine *m, struct thread *t, const struct ir_insn *in, struct opnd to,
	struct opnd from, struct opnd n)
{
	struct bulk b = {.m = m, .t = t, .in = in, .to = to, .from = from, .n = n.v.lo};
	enum step st;

	if (n.t.id) {
		b.len = opnd_resize(m, n.t, 64);
		b.n = UINT64_MAX;
	}
	if (!b.n)
		return STEP_NEXT;
	if (val_u128(to.u) || (in->op != IR_MEMSET && val_u128(from.u)))
		return fault_unknown(m, t, "an uninitialized pointer is dereferenced");
	if (bulk_overlap(&b) != STEP_NEXT || bulk_long(&b) != STEP_NEXT)
		return STEP_STOP;
	if (bulk_plain(&b, &st))
		return st;
	return bulk_terms(&b);
}
