/* Loads and stores through symbolic addresses: parts of terms, objects under guards. */
#include "base/base.h"
#include "symbolic/affine.h"
#include "symbolic/sym_mem_internal.h"

enum {
	POSITIONS_FREE = 32,   /* up to so many offsets the solver is not asked for their range */
	POSITIONS_MAX = 16384, /* offsets of one access; with more the offset is concretized */
	CHOICES_MAX = 64,      /* values that a load from a region chooses between */
	LOG_MAX = 4096,        /* log entries that a load from a region visits */
};

/* ---- bytes and terms ------------------------------------------------------------------------- */

/* A fresh symbol for undefined bits of a term: the mask of an operand covers known values only. */
static term_t unknown_bits(struct machine *m, unsigned bits)
{
	if (m->opt->trust)
		return term_const(m->ts, bits, 0);
	m->sym->unknowns = true;
	return term_fresh(m->ts, SYM_UNKNOWN, bits);
}

/* bytes from..from+n of the term, whose last byte may be partial */
static term_t bytes_of_term(struct terms *ts, term_t t, unsigned from, unsigned n)
{
	unsigned w = term_width(ts, t), need = 8 * (from + n);

	if (need > w)
		t = term_zext(ts, t, ALIGN_UP(w, 8) < need ? need : ALIGN_UP(w, 8));
	return term_extract(ts, t, 8 * from, 8 * n);
}

/* the length of the run from i on: bytes of one term, known bytes, or undefined bytes */
static unsigned run_length(const struct mem_sym *c, const uint8_t *mask, unsigned i, unsigned n)
{
	unsigned k = i + 1;

	while (k < n && (c[i].term ? c[k].term == c[i].term && c[k].byte == c[i].byte + (k - i)
				   : !c[k].term && !mask[k] == !mask[i]))
		k++;
	return k - i;
}

/* The n <= 16 valid bytes at a as one term. Sets *unknown = a if some bits are undefined. */
static term_t bytes_term(struct machine *m, uint64_t a, unsigned n, uint64_t *unknown)
{
	struct terms *ts = m->ts;
	struct mem_sym c[16];
	uint8_t known[16], mask[16];
	term_t all = TERM_NONE, t;
	uint64_t bad;

	if (mem_get_sym(&m->mem, a, c, known, mask, n, &bad) != MEM_OK)
		BUG("symbolic bytes of no object");
	for (unsigned i = 0, k; i < n; i += k) {
		k = run_length(c, mask, i, n);
		if (c[i].term) {
			t = bytes_of_term(ts, (term_t){c[i].term}, c[i].byte, k);
		} else {
			u128 v = 0, u = 0;

			memcpy(&v, known + i, k);
			memcpy(&u, mask + i, k);
			t = term_const(ts, 8 * k, v & ~u);
			if (u)
				*unknown = a;
			if (u)
				t = term_or(ts, t, term_and(ts, term_const(ts, 8 * k, u),
							   unknown_bits(m, 8 * k)));
		}
		all = all.id ? term_concat(ts, t, all) : t;
	}
	return all;
}

/* Records a load of undefined bits, for the report of a later fault that depends on them. */
static void note_unknown(struct machine *m, struct thread *t, uint64_t a)
{
	struct frame *f = top(t);

	t->unknown_addr = a;
	t->unknown_at = (struct stack_entry){f->func,
		(frame_func(m, f)->flags & IR_FN_MODEL) ? IR_NONE : frame_insn(f, true)};
}

/* The bytes at a known address as an operand, with a mask of its undefined bits. */
static struct opnd bytes_opnd(struct machine *m, struct thread *t, uint64_t a, unsigned n)
{
	struct mem_sym c[16];
	struct opnd o = {0};
	uint8_t known[16], *mask = (uint8_t *)&o.u;
	uint64_t bad;

	if (mem_get_sym(&m->mem, a, c, known, mask, n, &bad) != MEM_OK)
		BUG("bytes of no object");
	if (val_u128(o.u)) {
		if (m->opt->trust)
			o.u = (struct val){0};
		else
			note_unknown(m, t, a);
	}
	for (unsigned i = 0; i < n; i++)
		if (c[i].term) {
			struct opnd term = opnd_of_term(m, bytes_term(m, a, n, &bad));

			o.v = term.v;
			o.t = term.t;
			return o;
		}
	memcpy(&o.v, known, n);
	return o;
}

/* Writes a term of 8n bits to n <= 16 valid, writable bytes. */
static void put_term(struct machine *m, uint64_t a, term_t t, unsigned n)
{
	struct mem_sym c[16];
	uint64_t bad;
	u128 v;

	if (term_is_const(m->ts, t, &v)) {
		if (mem_write(&m->mem, a, &v, NULL, n, &bad) != MEM_OK)
			BUG("a store that was checked");
		return;
	}
	for (unsigned i = 0; i < n; i++)
		c[i] = (struct mem_sym){t.id, (uint8_t)i};
	if (mem_put_sym(&m->mem, a, c, n, &bad) != MEM_OK)
		BUG("a store that was checked");
}

term_t value_term(struct machine *m, struct opnd o, unsigned n)
{
	struct terms *ts = m->ts;
	term_t t = opnd_term(m, o, 8 * n);
	u128 u = val_u128(o.u);

	if (!u)
		return t;
	t = term_and(ts, t, term_const(ts, 8 * n, ~u));
	return term_or(ts, t, term_and(ts, term_const(ts, 8 * n, u), unknown_bits(m, 8 * n)));
}

/* ---- positions ------------------------------------------------------------------------------- */

static void range_where(struct access *x, const struct resolved *p, uint64_t *lo, uint64_t *hi)
{
	struct sym *s = x->m->sym;
	u128 least, most, v;
	bool sure = term_is_const(x->ts, p->guard, &v);

	if (!sure)
		vec_push(&s->path, p->guard);
	ask_range(s->ask, s->path.at, s->path.n, p->offset, &least, &most);
	if (!sure)
		s->path.n--;
	*lo = MAX(*lo, (uint64_t)least);
	*hi = MIN(*hi, (uint64_t)most);
}

static unsigned bits_for(uint32_t n)
{
	unsigned b = 1;

	while (b < 32 && (uint64_t)1 << b < n)
		b++;
	return b;
}

/* The possible offsets of an access in its object; `last` is the greatest one inside the object.
 * False: none, or more than POSITIONS_MAX. */
static bool spot_of(struct access *x, const struct resolved *p, uint64_t last, struct spot *s)
{
	uint64_t lo = 0, hi = last, step;
	struct affine a;
	u128 v;

	*s = (struct spot){.p = *p, .step = 1, .n = 1};
	if (p->region != IR_NONE)
		return true;
	if (term_is_const(x->ts, p->offset, &v)) {
		s->first = (uint64_t)v;
		return true;
	}
	affine_of(x->ts, p->offset, &a);
	step = MIN(affine_stride(x->ts, &a), 1ull << 32);
	if (hi / step >= POSITIONS_FREE)
		range_where(x, p, &lo, &hi);
	/* the first offset that is k modulo the step */
	lo += (uint64_t)((((int64_t)(a.k - lo) % (int64_t)step) + (int64_t)step) % (int64_t)step);
	if (lo > hi || (hi - lo) / step >= POSITIONS_MAX)
		return false;
	s->first = lo;
	s->step = step;
	s->n = (uint32_t)((hi - lo) / step) + 1;
	if (s->n > 1)
		s->index = affine_index(x->ts, &a, lo, step, bits_for(s->n));
	return true;
}

/* Concretizes the offset, if the guard of its object holds. */
static enum step fix_offset(struct access *x, const struct resolved *p, struct spot *s)
{
	struct resolved q = *p;
	struct val v;
	bool here;

	if (sym_decide(x->m, x->t, p->guard, &here) != STEP_NEXT)
		return STEP_STOP;
	if (!here)
		return STEP_NEXT;
	if (sym_value(x->m, x->t, (struct opnd){.t = p->offset}, 64,
		    "an index with too many possible values", SYM_VALUES, &v) != STEP_NEXT)
		return STEP_STOP;
	q.offset = term_const(x->ts, 64, v.lo);
	q.guard = term_bool(x->ts, true);
	spot_of(x, &q, UINT64_MAX, s);
	return STEP_NEXT;
}

enum step open_access(struct access *x, struct machine *m, struct thread *t, struct opnd addr,
	uint64_t n, term_t len, bool write)
{
	*x = (struct access){.m = m, .t = t, .ts = m->ts};
	if (addr.t.id &&
		sym_defined(m, t, addr.t, "an uninitialized pointer is dereferenced") != STEP_NEXT)
		return STEP_STOP;
	if (len.id && sym_defined(m, t, len,
			      "the length of a block operation is uninitialized") != STEP_NEXT)
		return STEP_STOP;
	if (resolve(m, t, opnd_term(m, addr, 64), n, len, write, &x->places) != STEP_NEXT)
		return STEP_STOP;
	vec_each (&x->places, i) {
		struct resolved *p = &x->places.at[i];
		struct spot s = {0};

		if (!spot_of(x, p, len.id ? p->size : p->size - n, &s) &&
			fix_offset(x, p, &s) != STEP_NEXT)
			return STEP_STOP;
		if (s.n)
			vec_push(&x->spots, s);
	}
	if (!x->spots.n && !len.id)
		return stop_unknown(m, t, STOP_SOLVER,
			"the solver found no address for an access: %s", ask_why(m->sym->ask));
	return STEP_NEXT;
}

void close_access(struct access *x)
{
	vec_release(&x->places);
	vec_release(&x->spots);
}

/* ---- access ---------------------------------------------------------------------------------- */

/* The position of a read relative to an earlier write: disjoint; inside the bytes of the write; the
 * same bytes or disjoint, depending on the inputs; another overlap. */
enum lie { LIE_APART, LIE_IN, LIE_SAME_OR_APART, LIE_MIXED };

static enum lie how_lies(const struct terms *ts, term_t distance, unsigned n, unsigned wn,
	uint64_t *from)
{
	struct affine a;
	uint64_t step, rest;
	u128 v;

	if (term_is_const(ts, distance, &v)) { /* start of the read minus start of the write */
		*from = (uint64_t)v;
		if (*from >= wn && -*from >= n)
			return LIE_APART;
		return *from < wn && *from + n <= wn ? LIE_IN : LIE_MIXED;
	}
	affine_of(ts, distance, &a);
	step = affine_stride(ts, &a);
	rest = (uint64_t)((((int64_t)a.k % (int64_t)step) + (int64_t)step) % (int64_t)step);
	if (rest >= wn && step - rest >= n)
		return LIE_APART;
	return !rest && n == wn && step >= n ? LIE_SAME_OR_APART : LIE_MIXED;
}

/* The value at an offset of a region as a choice between the logged writes that may have written
 * it. TERM_NONE: the log does not give it, the caller reads the array of bytes. */
static term_t load_log(struct access *x, uint32_t region, term_t at, unsigned n)
{
	const struct lazy_region *r = lazy_get(x->m->sym->lazy, region);
	struct {
		term_t when, value;
	} alt[CHOICES_MAX];
	unsigned nalt = 0, steps = 0;
	const struct lazy_write *w = r->log;
	term_t v = TERM_NONE;
	uint64_t from;
	u128 k;

	for (; w && !v.id; w = w->prev) {
		unsigned wn = term_width(x->ts, w->value) / 8;
		term_t when = w->when, d = term_sub(x->ts, at, w->offset), value = w->value;

		if (++steps > LOG_MAX)
			return TERM_NONE;
		switch (how_lies(x->ts, d, n, wn, &from)) {
		case LIE_APART: continue;
		case LIE_MIXED: return TERM_NONE;
		case LIE_IN: value = term_extract(x->ts, value, 8 * (unsigned)from, 8 * n); break;
		case LIE_SAME_OR_APART:
			when = term_and(x->ts, when, term_eq(x->ts, at, w->offset));
			break;
		}
		if (term_is_const(x->ts, when, &k) && k) {
			v = value;
			continue;
		}
		if (nalt == CHOICES_MAX)
			return TERM_NONE;
		alt[nalt].when = when;
		alt[nalt++].value = value;
	}
	if (!v.id && r->init.id)
		return TERM_NONE;
	if (!v.id) {
		v = term_read_n(x->ts, r->log ? r->below : r->bytes, at, n);
		if (n == 8 && !term_is_const(x->ts, v, &k))
			lazy_note_read(x->m->sym->lazy, v, region, at);
	}
	while (nalt-- > 0)
		v = term_ite(x->ts, alt[nalt].when, alt[nalt].value, v);
	return v;
}

/* Loads bytes of a region. Uninitialized bytes become symbols. */
static term_t load_region(struct access *x, const struct resolved *p, uint64_t skip, unsigned n)
{
	const struct lazy_region *r = lazy_get(x->m->sym->lazy, p->region);
	term_t at = term_add(x->ts, p->offset, term_const(x->ts, 64, skip));
	term_t v = load_log(x, p->region, at, n), all = TERM_NONE, t, i;
	u128 known, ones = 0;

	if (v.id)
		return v;
	v = term_read_n(x->ts, r->bytes, at, n);
	if (!r->init.id)
		return v;
	t = term_read_n(x->ts, r->init, at, n);
	for (unsigned k = 0; k < n; k++)
		ones = ones << 8 | 1;
	if (term_is_const(x->ts, t, &known) && known == ones)
		return v;
	x->unknown = p->base;
	for (unsigned k = 0; k < n; k++) {
		i = term_ne(x->ts, term_extract(x->ts, t, 8 * k, 8), term_const(x->ts, 8, 0));
		i = term_ite(x->ts, i, term_extract(x->ts, v, 8 * k, 8), unknown_bits(x->m, 8));
		all = all.id ? term_concat(x->ts, i, all) : i;
	}
	return all;
}

/* Bytes past the end of the object are outside the symbolic length: their value is not used. */
static term_t load_at(struct access *x, const struct resolved *p, uint64_t off, unsigned n)
{
	if (off + n > p->size)
		return term_const(x->ts, 8 * n, 0);
	return bytes_term(x->m, p->base + off, n, &x->unknown);
}

/* Loads n <= 16 bytes, `skip` bytes after the start of the access, from one object. */
static term_t load_spot(struct access *x, const struct spot *s, uint64_t skip, unsigned n)
{
	term_t *at, t;

	if (s->p.region != IR_NONE)
		return load_region(x, &s->p, skip, n);
	if (s->n == 1)
		return load_at(x, &s->p, s->first + skip, n);
	at = xcalloc(s->n, sizeof *at);
	for (uint32_t i = 0; i < s->n; i++)
		at[i] = load_at(x, &s->p, s->first + i * s->step + skip, n);
	t = term_choose(x->ts, at, s->n, s->index);
	free(at);
	return t;
}

term_t load_all(struct access *x, uint64_t skip, unsigned n)
{
	term_t t = load_spot(x, &x->spots.at[x->spots.n - 1], skip, n);

	for (uint32_t i = x->spots.n - 1; i-- > 0;)
		t = term_ite(x->ts, x->spots.at[i].p.guard,
			load_spot(x, &x->spots.at[i], skip, n), t);
	return t;
}

static void store_region(struct access *x, const struct resolved *p, uint64_t skip, term_t value,
	unsigned n, term_t when)
{
	struct lazy_region *r;
	term_t at = term_add(x->ts, p->offset, term_const(x->ts, 64, skip)), old;

	when = term_and(x->ts, p->guard, when);
	lazy_log(x->m->sym->lazy, p->region, at, value, when);
	r = lazy_at(x->m->sym->lazy, p->region);
	value = term_ite(x->ts, when, value, term_read_n(x->ts, r->bytes, at, n));
	r->bytes = term_write_n(x->ts, r->bytes, at, value);
	if (!r->init.id)
		return;
	for (unsigned k = 0; k < n; k++) {
		term_t i = term_add(x->ts, at, term_const(x->ts, 64, k));

		old = term_read(x->ts, r->init, i);
		r->init = term_write(x->ts, r->init, i,
			term_ite(x->ts, when, term_const(x->ts, 8, 1), old));
	}
}

static void store_spot(struct access *x, const struct spot *s, uint64_t skip, term_t value,
	unsigned n, term_t when)
{
	if (s->p.region != IR_NONE) {
		store_region(x, &s->p, skip, value, n, when);
		return;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t off = s->first + i * s->step + skip, a = s->p.base + off;
		term_t here = term_and(x->ts, s->p.guard, when);
		u128 v;

		if (off + n > s->p.size)
			break;
		if (s->n > 1)
			here = term_and(x->ts, here,
				term_eq(x->ts, s->index,
					term_const(x->ts, term_width(x->ts, s->index), i)));
		if (term_is_const(x->ts, here, &v)) {
			if (v)
				put_term(x->m, a, value, n);
			continue;
		}
		put_term(x->m, a,
			term_ite(x->ts, here, value, bytes_term(x->m, a, n, &x->unknown)), n);
	}
}

void store_all(struct access *x, uint64_t skip, term_t value, unsigned n, term_t when)
{
	vec_each (&x->spots, i)
		store_spot(x, &x->spots.at[i], skip, value, n, when);
}

/* whether the access is at one known address *a of ordinary memory */
static bool is_plain(const struct access *x, uint64_t *a)
{
	const struct spot *s = &x->spots.at[0];
	u128 v;

	*a = s->p.base + s->first;
	return x->spots.n == 1 && s->n == 1 && s->p.region == IR_NONE &&
	       term_is_const(x->ts, s->p.guard, &v);
}

enum step sym_load(struct machine *m, struct thread *t, struct opnd addr, ir_type type,
	struct opnd *out)
{
	uint32_t n = ir_type_bytes(type), bits = ir_type_bits(type);
	enum step st;
	struct access x;
	uint64_t a;

	st = open_access(&x, m, t, addr, n, TERM_NONE, false);
	if (st == STEP_NEXT) {
		if (is_plain(&x, &a))
			*out = bytes_opnd(m, t, a, n);
		else
			*out = opnd_of_term(m, load_all(&x, 0, n));
		if (x.unknown)
			note_unknown(m, t, x.unknown);
		if (out->t.id)
			out->t = opnd_of_term(m, opnd_resize(m, out->t, bits)).t;
		out->v = val_of(val_u128(out->v) & bits_mask(bits));
		out->u = val_of(val_u128(out->u) & bits_mask(bits));
	}
	close_access(&x);
	return st;
}

enum step sym_store(struct machine *m, struct thread *t, struct opnd addr, ir_type type,
	struct opnd value)
{
	uint32_t n = ir_type_bytes(type);
	enum step st;
	struct access x;
	uint64_t a, bad;

	st = open_access(&x, m, t, addr, n, TERM_NONE, true);
	if (st == STEP_NEXT) {
		if (is_plain(&x, &a) && !value.t.id)
			mem_write(&m->mem, a, &value.v,
				val_u128(value.u) ? (const uint8_t *)&value.u : NULL, n, &bad);
		else
			store_all(&x, 0, value_term(m, value, n), n,
				term_bool(m->ts, true));
		if (x.unknown) {
			note_unknown(m, t, x.unknown);
			t->unknown_at.insn = IR_NONE; /* no load has read them yet */
		}
	}
	close_access(&x);
	return st;
}

enum step sym_readable(struct machine *m, struct thread *t, struct opnd addr, uint64_t n)
{
	struct access x;
	enum step st = open_access(&x, m, t, addr, n, TERM_NONE, false);

	close_access(&x);
	return st;
}
