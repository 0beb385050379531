#include "replay/trial_points.h"

#include "base/base.h"
#include "log/words.h"

#include <string.h>

/* ---- kinds of operations --------------------------------------------------------------------- */

static uint8_t npoints(uint8_t kind)
{
	switch (kind) {
	case LOG_S_COND_WAIT:
	case LOG_S_BARRIER_ENTER:
	case LOG_S_REALLOC: return 2;
	default: return 1;
	}
}

/* Operations that can execute more of the program before they end: exit handlers, clean-up,
 * exec. */
static bool counts_at_start(uint8_t kind)
{
	return kind == LOG_S_EXIT || kind == LOG_S_PROCESS_EXIT || kind == LOG_S_EXEC;
}

static bool waits_in_the_middle(uint8_t kind)
{
	return kind == LOG_S_COND_WAIT || kind == LOG_S_BARRIER_ENTER;
}

void points_init(struct points *ps, const struct ir_program *p, const struct plan *plan)
{
	*ps = (struct points){.p = p,
		.plan = plan,
		.sync = ir_find_func(p, "__heddle_sync"),
		.handlers = IR_NONE};
	ps->kinds = xcalloc(p->funcs.n + 1, 1);
	vec_each (&p->funcs, f) {
		const struct log_sync_fn *fn;

		if (!(p->funcs.at[f].flags & (IR_FN_MODEL | IR_FN_EXTERN)))
			continue;
		if (!strcmp(ir_func_name(p, f), "run_handler")) /* models/signal.c */
			ps->handlers = f;
		fn = log_sync_find(ir_func_name(p, f));
		if (fn && fn->kind != LOG_S_STOPPER)
			ps->kinds[f] = fn->kind + 1;
	}
}

void points_release(struct points *ps)
{
	vec_each (&ps->lanes, i)
		vec_release(&ps->lanes.at[i].pending);
	vec_release(&ps->lanes);
	vec_release(&ps->moves);
	free(ps->kinds);
}

/* ---- counting -------------------------------------------------------------------------------- */

static struct points_lane *lane_of(struct points *ps, uint32_t thread)
{
	if (thread >= ps->lanes.n)
		vec_resize(&ps->lanes, thread + 1);
	return &ps->lanes.at[thread];
}

static void count(struct points_lane *l, struct points_op *op, uint8_t upto)
{
	l->count += upto - op->counted;
	op->counted = upto;
}

static bool calls(const struct machine *m, const struct frame *f, uint32_t func)
{
	const struct ir_func *fn = frame_func(m, f);
	const struct ir_insn *in = &fn->insns.at[f->pc];

	return in->op == IR_CALL && ir_is_const(in->arg[0]) &&
	       ir_const(fn, in->arg[0])->kind == IR_C_FUNC && ir_const(fn, in->arg[0])->id == func;
}

/* The model of the operation has passed the call of __heddle_sync() at its start. */
static bool begun(const struct points *ps, const struct machine *m, struct thread *t)
{
	return t->state == THREAD_DONE || !t->frames.n || !t->resumed ||
	       !calls(m, top(t), ps->sync);
}

/* Counts the points that the operations in progress have passed, and removes finished
 * operations. */
static void settle(struct points *ps, struct machine *m, struct thread *t, struct points_lane *l)
{
	while (l->pending.n) {
		struct points_op *op = &vec_last(&l->pending);

		if (counts_at_start(op->kind) && begun(ps, m, t))
			count(l, op, 1);
		if (t->state != THREAD_DONE && t->frames.n > op->depth) {
			if (waits_in_the_middle(op->kind) && t->state == THREAD_WAITING)
				count(l, op, MAX(op->counted, (uint8_t)1));
			return;
		}
		if (t->state != THREAD_DONE) /* else the thread was cancelled in the operation */
			count(l, op, npoints(op->kind));
		l->pending.n--;
	}
}

static uint32_t callee_of(struct machine *m, struct thread *t, const struct ir_insn *in)
{
	const struct ir_func *fn = frame_func(m, top(t));

	if (in->op != IR_CALL)
		return IR_NONE;
	if (ir_is_const(in->arg[0]) && ir_const(fn, in->arg[0])->kind == IR_C_FUNC)
		return ir_const(fn, in->arg[0])->id;
	return func_at(m->p, frame_get(m, t, top(t), in->arg[0]).v.lo);
}

static bool in_handler(const struct points *ps, const struct thread *t)
{
	if (ps->handlers != IR_NONE)
		vec_each (&t->frames, i)
			if (t->frames.at[i].func == ps->handlers)
				return true;
	return false;
}

void points_observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct points *ps = ctx;
	const struct frame *f = top(t);
	struct points_lane *l;
	const struct plan_func *pf;
	uint32_t callee;

	if (frame_func(m, f)->flags & IR_FN_MODEL || in_handler(ps, t))
		return;
	l = lane_of(ps, t->id);
	settle(ps, m, t, l);
	l->at_event = false;
	pf = &ps->plan->funcs[f->func];
	if (!pf->traced)
		return;
	if (pf->insn[f->pc].flags & PLAN_F_EVENT) {
		l->count++;
		l->at_event = true;
	}
	callee = callee_of(m, t, in);
	if (callee < m->p->funcs.n && ps->kinds[callee])
		vec_push(&l->pending, (struct points_op){t->frames.n, ps->kinds[callee] - 1, 0});
}

void points_again(struct points *ps, struct machine *m, struct thread *t)
{
	struct points_lane *l = lane_of(ps, t->id);
	const struct ir_func *fn;
	enum ir_shape shape;

	if (!t->frames.n)
		return;
	fn = frame_func(m, top(t));
	shape = ir_ops[fn->insns.at[top(t)->pc].op].shape;
	if ((shape != IR_S_CALL && shape != IR_S_BULK) || fn->flags & IR_FN_MODEL ||
		in_handler(ps, t))
		return;
	if (l->at_event)
		l->count--;
	l->at_event = false;
	if (l->pending.n && vec_last(&l->pending).depth == t->frames.n)
		l->pending.n--;
}

/* ---- segments -------------------------------------------------------------------------------- */

static void move(struct points *ps, uint32_t thread, struct points_lane *l, uint64_t until)
{
	l->moves = true;
	l->moved = until;
	if (ps->moves.n && vec_last(&ps->moves).thread == thread)
		vec_last(&ps->moves).until = until;
	else
		vec_push(&ps->moves, (struct finding_move){thread, until});
}

void points_switch(struct points *ps, struct machine *m, struct thread *t)
{
	struct points_lane *l = lane_of(ps, t->id);

	settle(ps, m, t, l);
	if (!l->moves || l->moved < l->count)
		move(ps, t->id, l, l->count);
}

void points_end(struct points *ps, struct machine *m, struct thread *t)
{
	struct points_lane *l = lane_of(ps, t->id);
	uint64_t until;

	if (m->res->fate == EXEC_DEADLOCK) {
		points_switch(ps, m, t);
		return;
	}
	if (m->res->fate == EXEC_EXITED)
		settle(ps, m, t, l);
	else if (l->at_event)
		l->count--; /* the thread stands before the access that failed */
	/* After an exit the last segment only selects the thread: there is no point behind the
	 * last one at which the thread could stop. */
	until = m->res->fate == EXEC_EXITED && l->count ? l->count - 1 : l->count;
	move(ps, t->id, l, l->moves ? MAX(until, l->moved) : until);
}

uint64_t points_standing(struct points *ps, struct machine *m, struct thread *t)
{
	struct points_lane *l = lane_of(ps, t->id);

	settle(ps, m, t, l);
	l->at_event = false;
	return l->count;
}

uint64_t points_count(const struct points *ps, uint32_t thread)
{
	return thread < ps->lanes.n ? ps->lanes.at[thread].count : 0;
}

bool points_at_access(const struct points *ps, uint32_t thread)
{
	return thread < ps->lanes.n && ps->lanes.at[thread].at_event;
}
