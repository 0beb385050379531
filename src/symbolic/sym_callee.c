/* Calls through function pointers of the initial state. */
#include "symbolic/lazy.h"

#include "base/vec.h"

/* whether the value depends on the initial contents of memory or registers */
static bool is_initial(struct machine *m, term_t v)
{
	const struct term_syms *syms = term_syms(m->ts, v);
	uint32_t region;
	term_t offset;

	if (!m->sym->lazy || !m->sym->ops->callees)
		return false;
	if (lazy_origin(m->sym->lazy, v, &region, &offset))
		return true;
	for (uint32_t i = 0; i < syms->n; i++)
		if (lazy_is_pointer(m->sym->lazy, syms->at[i]))
			return true;
	return false;
}

/* Forks over the callees that the points-to analysis has for this call. The value itself is
 * unconstrained: the solver would accept any number. */
static enum step decide_callee(struct machine *m, struct thread *t, term_t v, uint32_t *func)
{
	struct terms *ts = m->ts;
	struct vec_u32 list = {0};
	term_t one = term_bool(ts, false);
	enum step st = STEP_NEXT;
	bool is = false;

	*func = IR_NONE;
	if (m->sym->ops->callees(m->sym->ctx, top(t)->func, frame_insn(top(t), true), &list)) {
		sym_incomplete(m, t,
			"a function pointer of the initial state may point outside of the program");
	}
	vec_each (&list, i)
		one = term_or(ts, one, term_eq(ts, v, term_const(ts, 64, func_addr(list.at[i]))));
	if (!sym_assume(m, one))
		st = stop_unknown(m, t, STOP_UNKNOWN_CALL,
			"a function pointer of the initial state is called; its target is not known");
	for (uint32_t i = 0; st == STEP_NEXT && i < list.n && !is; i++) {
		*func = list.at[i];
		st = sym_decide(m, t, term_eq(ts, v, term_const(ts, 64, func_addr(*func))), &is);
	}
	vec_release(&list);
	if (st == STEP_NEXT && !is)
		st = stop_unknown(m, t, STOP_UNKNOWN_CALL, "no function is possible for a pointer of the "
			"initial state");
	return st;
}

enum step sym_callee(struct machine *m, struct thread *t, term_t pointer, uint32_t *func)
{
	*func = IR_NONE;
	return is_initial(m, pointer) ? decide_callee(m, t, pointer, func) : STEP_NEXT;
}
