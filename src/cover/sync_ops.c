#include "cover/sync_ops.h"

#include "base/base.h"
#include "base/vec.h"
#include "log/words.h"

#include <stdlib.h>
#include <string.h>

/* The operations that order threads. The others set an object up, destroy it, or allocate memory. */
static unsigned class_of(int kind)
{
	switch (kind) {
	case SYNC_OP_NONE: return 0;
	case SYNC_OP_EPOCH: return SYNC_EPOCH;
	case LOG_S_CREATE: return SYNC_CREATE;
	case LOG_S_JOIN: return SYNC_JOIN;
	case LOG_S_COND_WAIT: return SYNC_COND_WAIT;
	case LOG_S_BARRIER_ENTER: return SYNC_BARRIER;
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
	case LOG_S_UNLOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_RW_UNLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_SPIN_UNLOCK:
	case LOG_S_COND_SIGNAL:
	case LOG_S_COND_BROADCAST:
	case LOG_S_SEM_WAIT:
	case LOG_S_SEM_TRYWAIT:
	case LOG_S_SEM_POST:
	case LOG_S_SEM_VALUE:
	case LOG_S_ONCE:
	case LOG_S_EXIT:
	case LOG_S_CANCEL:
	case SYNC_OP_ATOMIC: return SYNC_OTHER;
	default: return 0;
	}
}

static void name_func(struct sync_ops *so, uint32_t f)
{
	const char *name = ir_func_name(so->p, f);
	const struct log_sync_fn *fn;

	so->kind[f] = SYNC_OP_NONE;
	so->object[f] = -1;
	if (!(so->p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL)))
		return; /* a function of the program that has such a name */
	if (!strcmp(name, "__heddle_user_epoch"))
		so->kind[f] = SYNC_OP_EPOCH;
	fn = log_sync_find(name);
	if (fn && class_of(fn->kind)) {
		so->kind[f] = fn->kind;
		so->object[f] = fn->object;
	}
}

int sync_op(const struct sync_ops *so, uint32_t func, uint32_t insn, uint32_t *callee)
{
	const struct ir_func *f = &so->p->funcs.at[func];
	const struct ir_insn *in = &f->insns.at[insn];
	enum ir_shape s = ir_ops[in->op].shape;
	uint32_t to = s == IR_S_CALL ? ir_callee(f, in) : IR_NONE;

	if (callee)
		*callee = to;
	if (f->flags & IR_FN_MODEL)
		return SYNC_OP_NONE;
	if (to != IR_NONE)
		return so->kind[to];
	if (s == IR_S_RMW || s == IR_S_CAS)
		return SYNC_OP_ATOMIC;
	if ((s == IR_S_LOAD || s == IR_S_STORE) && ir_order(in->flags))
		return SYNC_OP_ATOMIC;
	return SYNC_OP_NONE;
}

void sync_each_callee(const struct sync_ops *so, uint32_t func, uint32_t insn,
	void (*fn)(void *ctx, uint32_t callee), void *ctx)
{
	const struct call_site *site = callgraph_site(&so->calls, func, insn);
	uint32_t callee;

	for (uint32_t i = 0; site && i < site->n; i++)
		fn(ctx, so->calls.callees.at[site->first + i]);
	if (points_to_knows(so->pt, func) && sync_op(so, func, insn, &callee) != LOG_S_CREATE)
		points_to_callbacks(so->pt, func, insn, fn, ctx);
}

struct class_sum {
	const struct sync_ops *so;
	unsigned classes;
};

static void add_classes(void *ctx, uint32_t callee)
{
	struct class_sum *sum = ctx;

	sum->classes |= sum->so->classes[callee];
}

unsigned sync_classes(const struct sync_ops *so, uint32_t func, uint32_t insn)
{
	struct class_sum sum = {so, class_of(sync_op(so, func, insn, NULL))};

	if (!sum.classes && ir_ops[so->p->funcs.at[func].insns.at[insn].op].shape == IR_S_CALL)
		sync_each_callee(so, func, insn, add_classes, &sum);
	return sum.classes;
}

/* What one pass over the function's own instructions finds. */
static unsigned classes_of_body(const struct sync_ops *so, uint32_t func)
{
	unsigned c = 0;

	vec_each (&so->p->funcs.at[func].insns, i)
		c |= sync_classes(so, func, i);
	return c;
}

/* To a fixpoint: a function that the library calls back may come after its caller. */
static void find_classes(struct sync_ops *so)
{
	bool changed = true;

	while (changed) {
		changed = false;
		vec_each (&so->p->funcs, f) {
			unsigned c = so->kind[f] != SYNC_OP_NONE ? class_of(so->kind[f])
								 : classes_of_body(so, f);

			changed |= c != so->classes[f];
			so->classes[f] = c;
		}
	}
}

static void resolve_call(
	void *ctx, uint32_t func, uint32_t insn, void (*add)(void *, uint32_t), void *add_ctx)
{
	struct sync_ops *so = ctx;

	if (points_to_knows(so->pt, func))
		points_to_callees(so->pt, func, insn, add, add_ctx);
}

struct sync_ops *sync_ops_new(const struct ir_program *p, const struct points_to *pt)
{
	struct sync_ops *so = xcalloc(1, sizeof *so);

	so->p = p;
	so->pt = pt;
	so->kind = xcalloc(p->funcs.n, sizeof *so->kind);
	so->object = xcalloc(p->funcs.n, sizeof *so->object);
	so->classes = xcalloc(p->funcs.n, sizeof *so->classes);
	vec_each (&p->funcs, f)
		name_func(so, f);
	callgraph_init(&so->calls, p, resolve_call, so);
	find_classes(so);
	return so;
}

void sync_ops_free(struct sync_ops *so)
{
	callgraph_release(&so->calls);
	free(so->kind);
	free(so->object);
	free(so->classes);
	free(so);
}

const char *sync_op_name(int op)
{
	switch (op) {
	case SYNC_OP_NONE: return "none";
	case SYNC_OP_ATOMIC: return "atomic access";
	case SYNC_OP_EPOCH: return "heddle_epoch";
	}
	return log_sync_text((uint32_t)op);
}
