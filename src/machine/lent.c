#include "machine/lent.h"

#include "base/base.h"
#include "machine/code.h"

bool lent_any(const struct machine *m, const struct thread *t, uint64_t a, uint64_t n)
{
	uint32_t last;

	if (!m->opt->lent || !n || a - t->stack >= STACK_LIMIT)
		return false;
	last = bitset_next(m->opt->lent, lent_granule(t, a));
	return last <= lent_granule(t, a + n - 1);
}

/* The variables from index `from` on end. */
static bool ends_lent(struct machine *m, struct thread *t, uint32_t from, uint64_t *a, uint64_t *n)
{
	for (uint32_t i = from; i < t->vars.n; i++)
		if (lent_any(m, t, t->vars.at[i].base, t->vars.at[i].size)) {
			*a = t->vars.at[i].base;
			*n = t->sp - *a;
			return true;
		}
	return false;
}

static bool begins_lent(
	struct machine *m, struct thread *t, const struct ir_insn *in, uint64_t *a, uint64_t *n)
{
	struct frame *f = top(t);
	const struct ir_local *l = &frame_func(m, f)->locals.at[in->imm];
	uint64_t count = frame_get(m, t, f, in->arg[0]).v.lo;

	if (__builtin_mul_overflow(count, l->size, n) || *n > STACK_LIMIT)
		return false;
	*a = stack_place(t, *n, l->align);
	return lent_any(m, t, *a, *n);
}

/* The lifetime of a variable begins: it becomes uninitialized. */
static bool renews_lent(
	struct machine *m, struct thread *t, const struct ir_insn *in, uint64_t *a, uint64_t *n)
{
	*a = frame_get(m, t, top(t), in->arg[0]).v.lo;
	for (uint32_t i = t->vars.n; i-- > top(t)->nvars;)
		if (t->vars.at[i].base == *a) {
			*n = t->vars.at[i].size;
			return lent_any(m, t, *a, *n);
		}
	return false;
}

bool lent_change(
	struct machine *m, struct thread *t, const struct ir_insn *in, uint64_t *a, uint64_t *n)
{
	if (!m->opt->lent || top(t)->code->model)
		return false;
	if (in->op == IR_RET)
		return ends_lent(m, t, top(t)->nvars, a, n);
	if (in->op == IR_STACKRESTORE)
		return ends_lent(
			m, t, (uint32_t)(frame_get(m, t, top(t), in->arg[0]).v.lo >> 32), a, n);
	if (in->op == IR_LIFE_START)
		return renews_lent(m, t, in, a, n);
	return ir_ops[in->op].shape == IR_S_ALLOCA && begins_lent(m, t, in, a, n);
}
