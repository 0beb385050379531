/*
 * Conditions of the initial state that are equations x = t: the symbol x of a value is replaced by t
 * everywhere. Threads in lock-step then share one counter, and the counters of one loop are terms of
 * one of them, so that fewer symbols reach the solver.
 */
#include "explore/from_internal.h"

static bool occurs(struct terms *ts, term_t sym, term_t t)
{
	const struct term_syms *syms = term_syms(ts, t);

	for (uint32_t i = 0; i < syms->n; i++)
		if (term_same(syms->at[i], sym))
			return true;
	return false;
}

/* Whether the symbol stands for a number that an equation may define. A pointer stays a symbol, because
 * its targets are known by its symbol. */
static bool is_value(const struct from *f, term_t t)
{
	const struct context_symbol *s = context_symbol(f->c, t);

	return s && s->kind == CONTEXT_VALUE && s->reg != IR_NONE &&
	       f->p->funcs.at[s->func].regs.at[s->reg].type != IR_PTR;
}

/* Writes a = b as x = t, if x is a summand of a: x = b - (a - x). */
static bool get_summand(const struct from *f, term_t a, term_t b, term_t *x, term_t *t)
{
	const struct term_syms *syms = term_syms(f->ts, a);

	for (uint32_t i = 0; i < syms->n; i++) {
		*x = syms->at[i];
		if (!is_value(f, *x) || term_width(f->ts, *x) != term_width(f->ts, a))
			continue;
		*t = term_sub(f->ts, b, term_sub(f->ts, a, *x));
		if (!occurs(f->ts, *x, *t))
			return true;
	}
	return false;
}

static bool get_equation(const struct from *f, term_t condition, term_t *x, term_t *t)
{
	term_t a = term_arg(f->ts, condition, 0), b = term_arg(f->ts, condition, 1);

	return term_op(f->ts, condition) == TERM_EQ && term_width(f->ts, a) > 1 &&
	       (get_summand(f, a, b, x, t) || get_summand(f, b, a, x, t));
}

static term_t replace(const struct from *f, term_t in, term_t sym, term_t by)
{
	struct term_subst s;
	term_t t;

	if (!occurs(f->ts, sym, in))
		return in;
	term_subst_init(&s, f->ts);
	term_subst_put(&s, sym, by);
	t = term_subst(&s, in);
	term_subst_release(&s);
	return t;
}

void from_solve(struct from *f)
{
	const term_t *holds;
	uint32_t n;

	holds = context_conditions(f->c, &n);
	for (uint32_t i = 0; i < n; i++) {
		term_t c = holds[i], x, t;

		vec_each (&f->solved, k)
			c = replace(f, c, f->solved.at[k].sym, f->solved.at[k].is);
		if (!get_equation(f, c, &x, &t))
			continue;
		vec_each (&f->solved, k)
			f->solved.at[k].is = replace(f, f->solved.at[k].is, x, t);
		vec_push(&f->solved, (struct from_solved){x, t});
	}
}
