#include "symbolic/summary.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/vec.h"
#include "symbolic/sym_internal.h"

#include <string.h>

void summaries_install(struct machine *m)
{
	summary_fn *fns = arena_array(&m->arena, summary_fn, m->p->funcs.n);
	bool *has = arena_array(&m->arena, bool, m->p->funcs.n);

	BUG_ON(!m->sym);
	vec_each (&m->p->funcs, f) {
		const char *name = ir_func_name(m->p, f);

		if (!(m->p->funcs.at[f].flags & IR_FN_MODEL))
			continue;
		fns[f] = summary_string_find(name);
		if (!fns[f])
			fns[f] = summary_number_find(name);
		if (!fns[f])
			fns[f] = summary_ctype_find(name);
		if (!fns[f])
			fns[f] = summary_unknown_find(name);
		has[f] = fns[f] != NULL;
	}
	m->sym->summaries = fns;
	m->summarized = has;
}

enum step summary_call(struct machine *m, struct thread *t, uint32_t func, const struct opnd *args,
	uint32_t nargs, struct opnd *ret, bool *done)
{
	struct scall s = {.m = m, .t = t, .ts = m->ts, .args = args, .nargs = nargs, .ret = ret};
	enum step st = m->sym->summaries[func](&s);

	*done = s.done;
	return st;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Appends the byte at the address. False if the byte is not accessible or not initialized. */
static bool text_byte(struct scall *s, uint64_t addr, struct text *x)
{
	struct mem_sym cell;
	uint8_t known, mask;
	uint64_t bad;
	term_t t;

	if (mem_get_sym(&s->m->mem, addr, &cell, &known, &mask, 1, &bad) != MEM_OK || mask)
		return false;
	if (cell.term) {
		unsigned low = 8u * cell.byte;

		t = (term_t){cell.term};
		t = term_zext(s->ts, term_extract(s->ts, t, low,
					     MIN(8u, term_width(s->ts, t) - low)), 8);
	} else {
		t = term_const(s->ts, 8, known);
	}
	x->symbolic |= !is_known(s->ts, t);
	x->at[x->n++] = t;
	return true;
}

void text_get(struct scall *s, uint64_t addr, uint64_t most, struct text *x)
{
	uint32_t limit = (uint32_t)MIN(most, (uint64_t)TEXT_MAX), cap = 64;
	term_t zero = term_const(s->ts, 8, 0);

	*x = (struct text){.at = xmalloc(cap * sizeof *x->at)};
	while (x->n < limit && !x->closed) {
		if (x->n == cap) {
			cap *= 2;
			x->at = xrealloc(x->at, cap * sizeof *x->at);
		}
		if (!text_byte(s, addr + x->n, x))
			return;
		x->closed = term_same(x->at[x->n - 1], zero);
	}
	x->closed |= x->n == most;
}

void text_release(struct text *x)
{
	free(x->at);
}

bool text_is_known(struct scall *s, uint64_t addr)
{
	uint64_t bad;

	return mem_strlen(&s->m->mem, addr, &bad) >= 0;
}

bool block_is_known(struct scall *s, uint64_t addr, uint64_t n)
{
	uint8_t bytes[TEXT_MAX];
	uint64_t bad;

	return n <= sizeof bytes && mem_out(&s->m->mem, addr, bytes, n, &bad) == MEM_OK;
}

/* ---- arguments and results ------------------------------------------------------------------- */

enum step scall_known(struct scall *s, uint32_t i, uint64_t *v, bool *ok)
{
	struct opnd o = s->args[i];
	struct val val;
	uint64_t bad;

	*ok = false;
	if (o.t.id && s->m->sym->lazy && !mem_valid(&s->m->mem, opnd_base(s->m, o), 1, &bad))
		return STEP_NEXT;
	if (!o.t.id && val_u128(o.u))
		return STEP_NEXT;
	if (sym_value(s->m, s->t, o, 64, "an argument of a libc function", SYM_VALUES, &val))
		return STEP_STOP;
	*v = val.lo;
	*ok = true;
	return STEP_NEXT;
}

enum step scall_give(struct scall *s, term_t t)
{
	s->ret[0] = opnd_of_term(s->m, t);
	s->done = true;
	return STEP_NEXT;
}
