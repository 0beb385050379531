/* The path condition and decisions. */
#include "symbolic/sym_internal.h"

bool sym_assume(struct machine *m, term_t c)
{
	u128 v;

	if (term_is_const(m->ts, c, &v))
		return v != 0;
	vec_push(&m->sym->path, c);
	sym_note_fixed(m, c);
	return true;
}

void sym_incomplete(struct machine *m, struct thread *t, const char *why)
{
	m->sym->incomplete = true;
	m->sym->ops->incomplete(m->sym->ctx, m, t, why);
}

static void note_unanswered(struct machine *m, struct thread *t)
{
	sym_incomplete(m, t, ask_why(m->sym->ask));
}

static enum step decide_reduced(struct machine *m, struct thread *t, term_t c, bool *truth)
{
	struct sym *s = m->sym;
	term_t not = term_not(m->ts, c);
	enum ask_answer yes, no;
	u128 v;

	if (term_is_const(m->ts, c, &v)) {
		*truth = v != 0;
		return STEP_NEXT;
	}
	yes = ask_may(s->ask, s->path.at, s->path.n, c);
	if (yes == ASK_UNKNOWN)
		note_unanswered(m, t);
	no = yes == ASK_NO ? ASK_YES : ask_may(s->ask, s->path.at, s->path.n, not);
	if (no == ASK_UNKNOWN)
		note_unanswered(m, t);
	if (yes == ASK_YES && no == ASK_YES) {
		s->forks++;
		*truth = s->ops->fork(s->ctx, m, t, c);
	} else if (yes == ASK_YES || no == ASK_YES) {
		*truth = yes == ASK_YES;
		if (yes != ASK_UNKNOWN && no != ASK_UNKNOWN) {
			if (s->one_way)
				++*s->one_way;
			return STEP_NEXT; /* the path already implies the condition */
		}
	} else {
		return stop_unknown(m, t, STOP_SOLVER, "the solver did not decide a branch: %s",
			ask_why(s->ask));
	}
	sym_assume(m, *truth ? c : not);
	return STEP_NEXT;
}

static enum step decide_condition(struct machine *m, struct thread *t, term_t c, bool *truth)
{
	struct sym *s = m->sym;
	enum step st = decide_reduced(m, t, sym_reduce(m, c), truth);
	u128 v;

	if (st == STEP_NEXT && s->ops->decided && !term_is_const(m->ts, c, &v))
		s->ops->decided(s->ctx, t, *truth ? c : term_not(m->ts, c));
	return st;
}

enum step sym_defined(struct machine *m, struct thread *t, term_t v, const char *what)
{
	term_t bad;
	bool depends;

	if (sym_settle(m, t, v) != STEP_NEXT)
		return STEP_STOP;
	if (!sym_depends(m, v, &bad))
		return STEP_NEXT;
	if (decide_condition(m, t, bad, &depends) != STEP_NEXT)
		return STEP_STOP;
	if (depends)
		return fault_unknown(m, t, what);
	switch (sym_narrow(m, v)) {
	case ASK_NO:
		return stop_unknown(
			m, t, STOP_ASSUMPTION, "uninitialized bits matter with every input");
	case ASK_UNKNOWN:
		sym_incomplete(m, t, "inputs with which uninitialized bits matter");
		break;
	case ASK_YES: break;
	}
	return STEP_NEXT;
}

enum step sym_decide(struct machine *m, struct thread *t, term_t c, bool *truth)
{
	if (sym_defined(m, t, c, "a decision depends on an uninitialized value") != STEP_NEXT)
		return STEP_STOP;
	return decide_condition(m, t, c, truth);
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
	if (sym_settle(m, t, o.t) != STEP_NEXT)
		return STEP_STOP;
	term = sym_reduce(m, opnd_resize(m, o.t, bits));
	for (;;) {
		a = ask_value(s->ask, s->path.at, s->path.n, term, &x);
		if (a != ASK_YES) {
			note_unanswered(m, t);
			return stop_unknown(m, t, STOP_SOLVER,
				"the solver found no value for %s: %s", what, ask_why(s->ask));
		}
		*v = val_of(x);
		is = term_eq(m->ts, term, term_const(m->ts, bits, x));
		if (s->values >= limit)
			break;
		s->values++; /* before the fork: the copy counts it too */
		if (sym_decide(m, t, is, &truth) != STEP_NEXT)
			return STEP_STOP;
		if (truth) {
			s->values = 0;
			return STEP_NEXT;
		}
	}
	s->values = 0;
	if (ask_must(s->ask, s->path.at, s->path.n, is) != ASK_YES) {
		sym_incomplete(m, t, what);
		sym_assume(m, is);
	}
	return STEP_NEXT;
}
