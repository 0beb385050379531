/* Values as terms, conditions of the path, decisions. */
#include "symbolic/sym.h"

term_t sym_resize(struct machine *m, term_t t, uint32_t bits)
{
	uint32_t have = term_width(m->sym->ts, t);

	return have > bits ? term_trunc(m->sym->ts, t, bits) : term_zext(m->sym->ts, t, bits);
}

term_t sym_term(struct machine *m, struct opnd o, uint32_t bits)
{
	if (o.t.id)
		return sym_resize(m, o.t, bits);
	return term_const(m->sym->ts, bits, val_u128(o.v) & ~val_u128(o.u));
}

struct opnd sym_opnd(struct machine *m, term_t t)
{
	u128 v;

	if (term_is_const(m->sym->ts, t, &v))
		return (struct opnd){.v = val_of(v)};
	return (struct opnd){.t = t};
}

bool sym_assume(struct machine *m, term_t c)
{
	u128 v;

	if (term_is_const(m->sym->ts, c, &v))
		return v != 0;
	vec_push(&m->sym->path, c);
	return true;
}

static void unanswered(struct machine *m, struct thread *t)
{
	m->sym->incomplete = true;
	m->sym->ops->incomplete(m->sym->ctx, m, t, ask_why(m->sym->ask));
}

static enum step decide(struct machine *m, struct thread *t, term_t c, bool *truth)
{
	struct sym *s = m->sym;
	term_t not = term_not(s->ts, c);
	enum ask_answer yes, no;
	u128 v;

	if (term_is_const(s->ts, c, &v)) {
		*truth = v != 0;
		return STEP_NEXT;
	}
	yes = ask_may(s->ask, s->path.at, s->path.n, c);
	if (yes == ASK_UNKNOWN)
		unanswered(m, t);
	no = yes == ASK_NO ? ASK_YES : ask_may(s->ask, s->path.at, s->path.n, not);
	if (no == ASK_UNKNOWN)
		unanswered(m, t);
	if (yes == ASK_YES && no == ASK_YES) {
		s->forks++;
		*truth = s->ops->fork(s->ctx, m, t, c);
	} else if (yes == ASK_YES || no == ASK_YES) {
		*truth = yes == ASK_YES;
		if (yes != ASK_UNKNOWN && no != ASK_UNKNOWN) {
			if (s->one_way)
				++*s->one_way;
			return STEP_NEXT; /* implied: the path needs no new condition */
		}
	} else {
		return stop_unknown(m, t, "solver", "no answer to which way a decision goes: %s",
			ask_why(s->ask));
	}
	sym_assume(m, *truth ? c : not);
	return STEP_NEXT;
}

enum step sym_defined(struct machine *m, struct thread *t, term_t v, const char *what)
{
	struct sym *s = m->sym;
	term_t bad;
	bool depends;

	if (!sym_depends(m, v, &bad))
		return STEP_NEXT;
	if (decide(m, t, bad, &depends) != STEP_NEXT)
		return STEP_STOP;
	if (depends)
		return fault_unknown(m, t, what);
	switch (sym_narrow(m, v)) {
	case ASK_NO:
		return stop_unknown(m, t, "assumption", "uninitialized bits matter with every input");
	case ASK_UNKNOWN:
		s->incomplete = true;
		s->ops->incomplete(s->ctx, m, t, "inputs with which uninitialized bits matter");
		break;
	case ASK_YES: break;
	}
	return STEP_NEXT;
}

enum step sym_decide(struct machine *m, struct thread *t, term_t c, bool *truth)
{
	if (sym_defined(m, t, c, "a decision depends on an uninitialized value") != STEP_NEXT)
		return STEP_STOP;
	return decide(m, t, c, truth);
}

enum step sym_value(struct machine *m, struct thread *t, struct opnd o, uint32_t bits,
	const char *what, uint32_t limit, struct val *v)
{
	struct sym *s = m->sym;
	enum ask_answer a;
	bool truth;
	u128 x;
	term_t term, is;

	if (!o.t.id) {
		*v = o.v;
		return STEP_NEXT;
	}
	term = sym_resize(m, o.t, bits);
	for (;;) {
		a = ask_value(s->ask, s->path.at, s->path.n, term, &x);
		if (a != ASK_YES) {
			unanswered(m, t);
			return stop_unknown(m, t, "solver", "no value for %s: %s", what,
				ask_why(s->ask));
		}
		*v = val_of(x);
		is = term_eq(s->ts, term, term_const(s->ts, bits, x));
		if (s->values >= limit)
			break;
		s->values++; /* of the copy too */
		if (sym_decide(m, t, is, &truth) != STEP_NEXT)
			return STEP_STOP;
		if (truth) {
			s->values = 0;
			return STEP_NEXT;
		}
	}
	s->values = 0;
	if (ask_must(s->ask, s->path.at, s->path.n, is) != ASK_YES) {
		s->incomplete = true;
		s->ops->incomplete(s->ctx, m, t, what);
		sym_assume(m, is);
	}
	return STEP_NEXT;
}

enum step sym_known(struct machine *m, struct thread *t, struct opnd *o, uint32_t bits)
{
	struct val v;

	if (!o->t.id)
		return STEP_NEXT;
	if (sym_value(m, t, *o, bits, "a value", SYM_VALUES, &v) != STEP_NEXT)
		return STEP_STOP;
	*o = (struct opnd){.v = v};
	return STEP_NEXT;
}

uint64_t sym_base(struct machine *m, struct opnd o)
{
	struct terms *ts;
	term_t t = o.t;
	u128 v;

	if (!t.id)
		return o.v.lo;
	ts = m->sym->ts;
	for (;;) {
		if (term_is_const(ts, t, &v))
			return (uint64_t)v;
		switch (term_op(ts, t)) {
		case TERM_ADD:
			if (term_is_const(ts, term_arg(ts, t, 0), &v))
				return (uint64_t)v;
			t = term_arg(ts, t, 1);
			break;
		case TERM_ITE: t = term_arg(ts, t, 1); break;
		default: return 0;
		}
	}
}

enum mem_status sym_put(struct machine *m, uint64_t a, struct opnd o, unsigned n, uint64_t *bad)
{
	struct mem_sym cells[16];

	if (!o.t.id)
		return mem_write(&m->mem, a, &o.v, val_u128(o.u) ? (const uint8_t *)&o.u : NULL, n,
			bad);
	for (unsigned i = 0; i < n; i++)
		cells[i] = (struct mem_sym){o.t.id, (uint8_t)i};
	return mem_put_sym(&m->mem, a, cells, n, bad);
}
