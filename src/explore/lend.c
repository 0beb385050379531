/*
 * Finds the bytes of stacks that threads other than the owner access (machine/lent.h). They are not
 * known before: the paths up to the first such access were executed without the switch points of
 * the owner. So the exploration begins again when there are new ones, with the set as it is then;
 * the set only grows. At the end every access to the stack of another thread was to lent bytes, and
 * so no order of accesses was left out: before the first access to bytes that are not lent, the
 * accesses of an owner to its stack are local to it.
 */
#include "explore/explore_internal.h"

#include "base/bitset.h"
#include "base/vec.h"
#include "machine/code.h"
#include "machine/lent.h"

#include <string.h>

static struct thread *stack_owner(struct machine *m, uint64_t a)
{
	uint64_t i = (a - ADDR_STACK) / STACK_STRIDE;

	if (a < ADDR_STACK || i >= m->threads.n || (a - ADDR_STACK) % STACK_STRIDE >= STACK_LIMIT)
		return NULL;
	return m->threads.at[i];
}

/* The live variable of the thread that contains the address, or NULL. */
static const struct stack_var *variable_at(const struct thread *t, uint64_t a)
{
	vec_each (&t->vars, i)
		if (a - t->vars.at[i].base < t->vars.at[i].size)
			return &t->vars.at[i];
	return NULL;
}

static void lend_range(struct explore *ex, const struct thread *owner, uint64_t a, uint64_t n)
{
	uint32_t last = lent_granule(owner, a + n - 1);

	for (uint32_t i = lent_granule(owner, a); i <= last; i++)
		ex->begin_again |= bitset_add(&ex->lent, i);
}

/* Thread t accesses the address: lends the variable there, if it is another thread's. */
static void lend_at(struct explore *ex, const struct thread *t, uint64_t a)
{
	const struct thread *owner = stack_owner(ex->m, a);
	const struct stack_var *v;

	if (!owner || owner == t)
		return;
	v = variable_at(owner, a);
	lend_range(ex, owner, v ? v->base : a, v ? v->size : 1);
}

/* Any address that the term can have is one of its constants, plus an offset in the variable. */
static void lend_operand(struct explore *ex, struct thread *t, struct opnd o)
{
	struct vec_u32 below = {0};
	u128 v;

	if (!o.t.id) {
		lend_at(ex, t, o.v.lo);
		return;
	}
	term_reach(ex->ts, &o.t, 1, &below);
	vec_each (&below, i)
		if (term_is_const(ex->ts, (term_t){below.at[i]}, &v))
			lend_at(ex, t, (uint64_t)v);
	vec_release(&below);
}

/* The third argument of the call that created the thread, if the frame of the call is still there.
 */
static bool start_argument(struct explore *ex, const struct thread *t, struct opnd *arg)
{
	struct thread *by = ex->m->threads.at[t->creator];
	const struct stack_entry *e;
	uint32_t n = stacks_get(&ex->m->stacks, t->created_at, &e);

	vec_each (&by->frames, i) {
		struct frame *f = &by->frames.at[i];
		const struct ir_func *fn = frame_func(ex->m, f);
		const struct ir_insn *in = n ? &fn->insns.at[e->insn] : NULL;

		if (n && f->func == e->func && in->op == IR_CALL && in->arg[2] == 4) {
			*arg = frame_get(ex->m, by, f, fn->extra.at[in->arg[1] + 2 * 3]);
			return true;
		}
	}
	return false;
}

void lend_begin(struct explore *ex, struct thread *t)
{
	struct thread *by = ex->m->threads.at[t->creator];
	const struct stack_var *v;
	struct opnd arg;

	if (ex->opt.switches == EXEC_SWITCH_ACCESS || !thread_begins(t) ||
		!start_argument(ex, t, &arg) || arg.t.id || stack_owner(ex->m, arg.v.lo) != by)
		return;
	v = variable_at(by, arg.v.lo);
	if (v && strcmp(ir_func_name(ex->p, v->func), "main") != 0)
		lend_range(ex, by, v->base, v->size);
	if (ex->begin_again)
		path_interrupt(ex);
}

struct lending {
	struct explore *ex;
	const struct thread *t;
};

static void lend_pointer(void *ctx, uint64_t a, uint32_t depth)
{
	struct lending *l = ctx;

	(void)depth;
	lend_at(l->ex, l->t, a);
}

static void lend_call(struct explore *ex, struct thread *t, const struct ir_insn *in)
{
	struct frame *f = top(t);
	const struct ir_func *fn = frame_func(ex->m, f);
	const uint32_t *x = fn->extra.at + in->arg[1];
	struct lending l = {ex, t};

	for (uint32_t i = 0; i < in->arg[2]; i++)
		if (ir_ref_type(fn, x[2 * i]) == IR_PTR) {
			struct opnd arg = frame_get(ex->m, t, f, x[2 * i]);

			lend_operand(ex, t, arg);
			if (ex->opt.switches == EXEC_SWITCH_ACCESS)
				call_each_pointer(ex->m, arg, lend_pointer, &l);
		}
}

void lend_note(struct explore *ex, struct thread *t)
{
	struct frame *f = top(t);
	const struct ir_insn *in = &frame_func(ex->m, f)->insns.at[frame_insn(f, true)];

	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD:
	case IR_S_STORE:
	case IR_S_RMW:
	case IR_S_CAS: lend_operand(ex, t, frame_get(ex->m, t, f, in->arg[0])); break;
	case IR_S_BULK:
		lend_operand(ex, t, frame_get(ex->m, t, f, in->arg[0]));
		if (in->op != IR_MEMSET)
			lend_operand(ex, t, frame_get(ex->m, t, f, in->arg[1]));
		break;
	case IR_S_CALL: lend_call(ex, t, in); break;
	default: break;
	}
	if (ex->begin_again)
		path_interrupt(ex);
}
