#include "replay/point_counter.h"

#include "base/base.h"
#include "log/words.h"

#include <string.h>

/* ---- kinds of operations --------------------------------------------------------------------- */

static uint8_t points_of(uint8_t kind)
{
	switch (kind) {
	case LOG_S_COND_WAIT:
	case LOG_S_BARRIER_ENTER:
	case LOG_S_ONCE:
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

void counter_init(struct point_counter *pc, const struct ir_program *p, const struct plan *plan)
{
	*pc = (struct point_counter){.p = p,
		.plan = plan,
		.sync = ir_find_func(p, "__heddle_sync"),
		.order = ir_find_func(p, "__heddle_order"),
		.syscall = ir_find_func(p, "__heddle_syscall"),
		.handlers = IR_NONE};
	pc->kinds = xcalloc(p->funcs.n + 1, 1);
	vec_each (&p->funcs, f) {
		const struct log_sync_fn *fn;

		if (!(p->funcs.at[f].flags & (IR_FN_MODEL | IR_FN_EXTERN)))
			continue;
		if (!strcmp(ir_func_name(p, f), "run_handler")) /* models/signal.c */
			pc->handlers = f;
		fn = log_sync_find(ir_func_name(p, f));
		if (fn && fn->kind != LOG_S_STOPPER)
			pc->kinds[f] = fn->kind + 1;
	}
}

void counter_release(struct point_counter *pc)
{
	vec_each (&pc->threads, i)
		vec_release(&pc->threads.at[i].pending);
	vec_release(&pc->threads);
	vec_release(&pc->moves);
	free(pc->kinds);
}

/* ---- counting -------------------------------------------------------------------------------- */

static struct counted_thread *thread_of(struct point_counter *pc, uint32_t thread)
{
	if (thread >= pc->threads.n)
		vec_resize(&pc->threads, thread + 1);
	return &pc->threads.at[thread];
}

static void count_points(struct counted_thread *l, struct counted_op *op, uint8_t upto)
{
	l->count += upto - op->counted;
	op->counted = upto;
}

static bool calls(const struct machine *m, const struct frame *f, uint32_t func)
{
	const struct ir_func *fn = frame_func(m, f);
	const struct ir_insn *in = &fn->insns.at[f->pc];

	return func != IR_NONE && ir_callee(fn, in) == func;
}

/* The model of the operation has passed the call of __heddle_sync() at its start. */
static bool begun(const struct point_counter *pc, const struct machine *m, struct thread *t)
{
	return t->state == THREAD_DONE || !t->frames.n || !t->resumed ||
	       !calls(m, top(t), pc->sync);
}

/* A once has passed its first point when its routine runs: code of the program above its model. */
static bool runs_routine(
	const struct machine *m, const struct thread *t, const struct counted_op *op)
{
	if (op->kind != LOG_S_ONCE)
		return false;
	for (uint32_t i = op->depth; i < t->frames.n; i++)
		if (!(frame_func(m, &t->frames.at[i])->flags & IR_FN_MODEL))
			return true;
	return false;
}

/* Counts the points that the operations in progress have passed, and removes finished
 * operations. */
static void settle(struct point_counter *pc, struct machine *m, struct thread *t, struct counted_thread *l)
{
	while (l->pending.n) {
		struct counted_op *op = &vec_last(&l->pending);

		if (counts_at_start(op->kind) && begun(pc, m, t))
			count_points(l, op, 1);
		if (t->state != THREAD_DONE && t->frames.n > op->depth) {
			if ((waits_in_the_middle(op->kind) && t->state == THREAD_WAITING) ||
				runs_routine(m, t, op))
				count_points(l, op, MAX(op->counted, (uint8_t)1));
			return;
		}
		if (t->state != THREAD_DONE) /* else the thread was cancelled in the operation */
			count_points(l, op, points_of(op->kind));
		l->pending.n--;
	}
}

static uint32_t callee_of(struct machine *m, struct thread *t, const struct ir_insn *in)
{
	const struct ir_func *fn = frame_func(m, top(t));

	if (in->op != IR_CALL)
		return IR_NONE;
	if (ir_callee(fn, in) != IR_NONE)
		return ir_callee(fn, in);
	return func_at(m->p, frame_get(m, t, top(t), in->arg[0]).v.lo);
}

static bool in_handler(const struct point_counter *pc, const struct thread *t)
{
	if (pc->handlers != IR_NONE)
		vec_each (&t->frames, i)
			if (t->frames.at[i].func == pc->handlers)
				return true;
	return false;
}

void counter_observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct point_counter *pc = ctx;
	const struct frame *f = top(t);
	struct counted_thread *l;
	const struct plan_func *pf;
	uint32_t callee;

	if (frame_func(m, f)->flags & IR_FN_MODEL || in_handler(pc, t))
		return;
	l = thread_of(pc, t->id);
	settle(pc, m, t, l);
	l->at_event = false;
	pf = &pc->plan->funcs[f->func];
	if (!pf->traced)
		return;
	if (pf->insn[f->pc].flags & PLAN_F_EVENT) {
		l->count++;
		l->at_event = true;
	}
	callee = callee_of(m, t, in);
	if (callee < m->p->funcs.n && pc->kinds[callee])
		vec_push(&l->pending, (struct counted_op){t->frames.n, pc->kinds[callee] - 1, 0});
}

void counter_again(struct point_counter *pc, struct machine *m, struct thread *t)
{
	struct counted_thread *l = thread_of(pc, t->id);
	const struct ir_func *fn;
	enum ir_shape shape;

	if (!t->frames.n)
		return;
	fn = frame_func(m, top(t));
	shape = ir_ops[fn->insns.at[top(t)->pc].op].shape;
	if ((shape != IR_S_CALL && shape != IR_S_BULK) || fn->flags & IR_FN_MODEL ||
		in_handler(pc, t))
		return;
	if (l->at_event)
		l->count--;
	l->at_event = false;
	if (l->pending.n && vec_last(&l->pending).depth == t->frames.n)
		l->pending.n--;
}

/* ---- segments -------------------------------------------------------------------------------- */

static void add_segment(struct point_counter *pc, uint32_t thread, struct counted_thread *l, uint64_t until)
{
	l->moves = true;
	l->moved = until;
	if (pc->moves.n && vec_last(&pc->moves).thread == thread)
		vec_last(&pc->moves).until = until;
	else
		vec_push(&pc->moves, (struct finding_move){thread, until});
}

/* The thread stands before a call of the C library or of the system whose order matters. */
static bool before_native(const struct point_counter *pc, const struct machine *m, struct thread *t)
{
	return t->frames.n && t->resumed &&
	       (calls(m, top(t), pc->order) || calls(m, top(t), pc->syscall));
}

bool counter_switch(struct point_counter *pc, struct machine *m, struct thread *t)
{
	struct counted_thread *l = thread_of(pc, t->id);
	bool first;

	settle(pc, m, t, l);
	first = !l->seen;
	l->seen = true;
	/* The replay would stop the thread only at a point behind the native call, whose order
	 * matters; so a thread that has done nothing yet does not begin. */
	if ((first && !l->count && before_native(pc, m, t)) || (l->moves && l->moved >= l->count))
		return false;
	add_segment(pc, t->id, l, l->count);
	return true;
}

void counter_end(struct point_counter *pc, struct machine *m, struct thread *t)
{
	struct counted_thread *l = thread_of(pc, t->id);
	uint64_t until;

	if (m->res->fate == EXEC_DEADLOCK) {
		counter_switch(pc, m, t);
		return;
	}
	if (m->res->fate == EXEC_EXITED)
		settle(pc, m, t, l);
	else if (l->at_event)
		l->count--; /* the thread stands before the access that failed */
	/* After an exit the last segment only selects the thread: there is no point behind the
	 * last one at which the thread could stop. */
	until = m->res->fate == EXEC_EXITED && l->count ? l->count - 1 : l->count;
	add_segment(pc, t->id, l, l->moves ? MAX(until, l->moved) : until);
}

uint64_t counter_standing(struct point_counter *pc, struct machine *m, struct thread *t)
{
	struct counted_thread *l = thread_of(pc, t->id);

	settle(pc, m, t, l);
	l->at_event = false;
	return l->count;
}

uint64_t counter_count(const struct point_counter *pc, uint32_t thread)
{
	return thread < pc->threads.n ? pc->threads.at[thread].count : 0;
}

bool counter_at_access(const struct point_counter *pc, uint32_t thread)
{
	return thread < pc->threads.n && pc->threads.at[thread].at_event;
}
