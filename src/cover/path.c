#include "cover/path.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "ir/cfg.h"
#include "machine/code.h"
#include "symbolic/find_object.h"

#include <stdlib.h>
#include <string.h>

struct running {    /* a thread of the path */
	bool begun; /* it has executed an instruction of the program */
	bool ended;
	bool at_marker;   /* it is before a marker: it does not run any more */
	bool at_start;    /* it lived at the start, and has executed nothing since */
	uint64_t role;    /* hash of its calling context at the start; 0 = none */
	uint32_t last;    /* its last step, or IR_NONE */
	uint32_t pending; /* step of the operation that it executes, or IR_NONE */
	uint32_t op;      /* index of that operation's beginning in path.ops, or IR_NONE */
};

static void add_reason(struct path *p, const char *why)
{
	vec_each (&p->why, i)
		if (!strcmp(p->why.at[i], why))
			return;
	vec_push(&p->why, xstrdup(why));
}

static struct running *running_of(struct path_run *r, uint32_t thread)
{
	while (r->threads.n <= thread)
		vec_push(&r->threads,
			(struct running){.last = IR_NONE, .pending = IR_NONE, .op = IR_NONE});
	return &r->threads.at[thread];
}

/* ---- operations -------------------------------------------------------------------------------- */

/* The calling context: the calls of the program's own frames, and the instruction. */
static uint64_t place_of(
	const struct machine *m, const struct thread *t, uint32_t nframes, uint32_t insn)
{
	uint64_t h = 0;

	for (uint32_t i = 0; i < nframes; i++) {
		const struct frame *f = &t->frames.at[i];

		if (m->p->funcs.at[f->func].flags & IR_FN_MODEL)
			continue;
		h = hash_u64(h ^ f->func);
		h = hash_u64(h ^ (i + 1 == nframes ? insn : frame_insn(f, false)));
	}
	return h;
}

static uint64_t object_of(
	struct machine *m, struct thread *t, struct frame *f, const struct ir_insn *in, uint32_t i)
{
	const struct ir_func *fn = frame_func(m, f);

	if (i >= in->arg[2])
		return 0;
	return opnd_base(m, frame_get(m, t, f, fn->extra.at[in->arg[1] + 2 * i]));
}

/* Sets the objects of a call of a synchronization operation by the frame, and the thread of a join. */
static void take_objects(
	struct path_run *r, struct thread *t, struct frame *f, uint32_t callee, struct path_op *o)
{
	const struct ir_func *fn = frame_func(r->m, f);
	const struct ir_insn *in = &fn->insns.at[r->out->steps.at[o->step].insn];

	if (callee != IR_NONE && r->facts->so->object[callee] >= 0)
		o->objects[0] = object_of(r->m, t, f, in, (uint32_t)r->facts->so->object[callee]);
	if (o->op == LOG_S_COND_WAIT)
		o->objects[1] = object_of(r->m, t, f, in, 1);
	if (o->op ==
		LOG_S_JOIN) { /* a handle is the number of the thread plus 1 (models/pthread_thread.c) */
		struct opnd h = frame_get(r->m, t, f, fn->extra.at[in->arg[1]]);

		o->other = !h.t.id && h.v.lo && h.v.lo <= r->m->threads.n ? (uint32_t)h.v.lo - 1
									  : IR_NONE;
	}
}

static void add_op(struct path_run *r, struct path_op op)
{
	vec_push(&r->out->ops, op);
}

/* Operations with two points: they take effect when they begin and when they return. */
static int second_op(int op)
{
	switch (op) {
	case LOG_S_COND_WAIT: return LOG_S_COND_WOKEN;
	case LOG_S_BARRIER_ENTER: return LOG_S_BARRIER_LEAVE;
	}
	return SYNC_OP_NONE;
}

/* The operation at the step, which the thread is about to execute. */
static struct path_op begin_op(
	struct path_run *r, struct thread *t, uint32_t step, int op, uint32_t callee)
{
	const struct trace_step *s = &r->out->steps.at[step];
	struct path_op o = {.thread = t->id,
		.op = op,
		.step = step,
		.other = IR_NONE,
		.place = place_of(r->m, t, t->frames.n, s->insn)};

	if (op == SYNC_OP_ATOMIC) {
		o.objects[0] = s->at.base;
		return o;
	}
	take_objects(r, t, top(t), callee, &o);
	return o;
}

/* The thread returned from the operation that it executed. */
static void finish_op(struct path_run *r, struct running *t)
{
	struct path_op *o;
	struct path_op done;

	if (t->pending == IR_NONE)
		return;
	o = &r->out->ops.at[t->op];
	t->pending = IR_NONE;
	if (second_op(o->op) != SYNC_OP_NONE) {
		done = *o;
		done.op = second_op(o->op);
		done.carried = false;
		add_op(r, done);
		return;
	}
	done = *o; /* operations with one point count when they return */
	done.carried = false;
	if (done.op == LOG_S_CREATE)
		done.other = r->m->threads.n - 1;
	o->op = SYNC_OP_NONE;
	add_op(r, done);
}

static void note_sync(struct path_run *r, struct thread *t, uint32_t step)
{
	const struct trace_step *s = &r->out->steps.at[step];
	uint32_t callee;
	int op = sync_op(r->facts->so, s->func, s->insn, &callee);
	struct running *at = running_of(r, t->id);

	if (op == SYNC_OP_NONE || op == SYNC_OP_EPOCH)
		return;
	add_op(r, begin_op(r, t, step, op, callee));
	if (op == SYNC_OP_ATOMIC)
		return;
	at->pending = step;
	at->op = r->out->ops.n - 1;
}

/* ---- the trace --------------------------------------------------------------------------------- */

/* The frame of the thread's current instruction; new ones were called by its last step. */
static uint32_t frame_of(struct path_run *r, struct thread *t)
{
	const struct frame *f = top(t);
	uint64_t *v = map_put(&r->frames, f->serial);
	struct trace_frame fr = {.func = f->func,
		.call = running_of(r, t->id)->last,
		.parent = IR_NONE,
		.site = IR_NONE,
		.stop = IR_NONE};

	if (*v)
		return (uint32_t)*v - 1;
	*v = r->out->frames.n + 1;
	if (fr.call != IR_NONE) {
		const struct trace_step *s = &r->out->steps.at[fr.call];
		int op = sync_op(r->facts->so, s->func, s->insn, NULL);

		fr.primitive = r->out->frames.at[s->frame].primitive || op >= 0;
		if (ir_ops[r->facts->p->funcs.at[s->func].insns.at[s->insn].op].shape != IR_S_CALL)
			fr.call = IR_NONE;
		else {
			fr.parent = s->frame;
			fr.site = s->insn;
		}
	}
	vec_push(&r->out->frames, fr);
	return r->out->frames.n - 1;
}

static bool is_model(const struct path_run *r, const struct frame *f)
{
	return r->facts->p->funcs.at[f->func].flags & IR_FN_MODEL;
}

/* Adds the frames that the thread has at the start, outermost first. Frames of the library inside a
 * call of the program belong to the operation that the thread is blocked in. */
static void note_first_frames(struct path_run *r, const struct thread *t)
{
	bool own = false;

	vec_each (&t->frames, i) {
		const struct frame *f = &t->frames.at[i];
		uint32_t n = r->out->frames.n;

		own |= !is_model(r, f);
		vec_push(&r->out->frames,
			(struct trace_frame){.func = f->func,
				.call = IR_NONE,
				.parent = i ? n - 1 : IR_NONE,
				.site = i ? frame_insn(&t->frames.at[i - 1], false) : IR_NONE,
				.stop = IR_NONE,
				.primitive = own && is_model(r, f)});
		*map_put(&r->frames, f->serial) = n + 1;
	}
}

/* The innermost frame of the program's own code; its index, or IR_NONE. */
static uint32_t own_frame(const struct path_run *r, const struct thread *t)
{
	for (uint32_t i = t->frames.n; i-- > 0;)
		if (!is_model(r, &t->frames.at[i]))
			return i;
	return IR_NONE;
}

/* The thread is blocked in an operation that began in an earlier epoch. */
static void carry_op(struct path_run *r, struct thread *t, uint32_t k)
{
	const struct frame *f = &t->frames.at[k];
	uint32_t insn = frame_insn(f, k + 1 == t->frames.n), callee;
	int op = sync_op(r->facts->so, f->func, insn, &callee);
	struct running *at = running_of(r, t->id);
	struct path_op o = {.thread = t->id,
		.op = op,
		.step = r->out->steps.n,
		.other = IR_NONE,
		.place = place_of(r->m, t, k + 1, insn),
		.carried = true};

	if (op < 0)
		return;
	vec_push(&r->out->steps,
		(struct trace_step){.thread = t->id,
			.func = f->func,
			.insn = insn,
			.frame = (uint32_t)map_get_or(&r->frames, f->serial, 1) - 1});
	take_objects(r, t, &t->frames.at[k], callee, &o);
	at->last = at->pending = o.step;
	add_op(r, o);
	at->op = r->out->ops.n - 1;
}

/* The threads that live at the start of an epoch after the first. */
static void begin_threads(struct path_run *r)
{
	r->start_serial = r->m->serial;
	vec_each (&r->m->threads, i) {
		struct thread *t = r->m->threads.at[i];
		struct running *at = running_of(r, i);
		uint32_t k = own_frame(r, t);

		if (t->state == THREAD_DONE)
			continue;
		note_first_frames(r, t);
		if (k != IR_NONE) {
			at->begun = at->at_start = true;
			at->role = place_of(r->m, t, t->frames.n,
				frame_insn(&t->frames.at[t->frames.n - 1], true));
			if (k + 1 < t->frames.n || t->state == THREAD_WAITING)
				carry_op(r, t, k);
		}
		vec_push(&r->out->starts, (struct path_start){i, at->role});
	}
}

/* The n bytes at the address; if it is a term, the object that it points into. */
static struct extent extent_of(struct machine *m, struct opnd a, uint64_t n)
{
	struct object o;

	if (!a.t.id)
		return (struct extent){a.v.lo, n, true};
	if (term_op(m->ts, a.t) == TERM_ITE || !find_object(m, opnd_term_base(m, a.t), &o))
		return (struct extent){0, UINT64_MAX, false};
	return (struct extent){o.base, o.size, false};
}

/* The object that the pointer points into. */
static struct extent object_at(struct machine *m, struct opnd a)
{
	struct object o;

	if (a.t.id)
		return extent_of(m, a, 0);
	if (!find_object(m, a.v.lo, &o))
		return (struct extent){0};
	return (struct extent){o.base, o.size, false};
}

static struct extent bulk_extent(struct machine *m, struct opnd a, struct opnd n)
{
	return n.t.id ? object_at(m, a) : extent_of(m, a, n.v.lo);
}

/* A call that no frame executes: by the machine itself, or as a summary. */
static bool is_without_frame(const struct machine *m, uint32_t callee)
{
	return callee != IR_NONE && (m->builtins[callee] || m->stubs[callee] ||
					    (m->summarized && m->summarized[callee]));
}

static void note_arguments(struct path_run *r, struct thread *t, const struct ir_insn *in)
{
	const struct ir_func *fn = frame_func(r->m, top(t));
	uint32_t callee = ir_callee(fn, in);

	if (!is_without_frame(r->m, callee))
		return;
	for (uint32_t i = 0; i < in->arg[2]; i++) {
		ir_ref a = fn->extra.at[in->arg[1] + 2 * i];

		if (ir_ref_type(fn, a) == IR_PTR)
			vec_push(&r->out->reads,
				(struct trace_read){r->out->steps.n, a,
					object_at(r->m, frame_get(r->m, t, top(t), a))});
	}
}

/* Notes the memory that the instruction accesses. */
static struct extent note_access(struct path_run *r, struct thread *t, const struct ir_insn *in)
{
	struct machine *m = r->m;
	enum ir_shape shape = ir_ops[in->op].shape;
	struct opnd n;

	switch (shape) {
	case IR_S_LOAD:
	case IR_S_STORE:
	case IR_S_RMW:
	case IR_S_CAS:
		return extent_of(m, frame_get(m, t, top(t), in->arg[0]),
			ir_type_bytes(shape == IR_S_STORE ? in->type2 : in->type));
	case IR_S_BULK:
		n = frame_get(m, t, top(t), in->arg[2]);
		if (in->op != IR_MEMSET)
			vec_push(&r->out->reads,
				(struct trace_read){r->out->steps.n, in->arg[1],
					bulk_extent(m, frame_get(m, t, top(t), in->arg[1]), n)});
		return bulk_extent(m, frame_get(m, t, top(t), in->arg[0]), n);
	case IR_S_CALL: note_arguments(r, t, in); break;
	default: break;
	}
	return (struct extent){0};
}

enum { LIMIT_STEPS = 1024 }; /* between two looks at the limits */

static bool limits_reached(struct path_run *r)
{
	if (r->limits->interrupted && *r->limits->interrupted)
		r->cut = "interrupted";
	else if (r->limits->deadline > 0 && clock_seconds() > r->limits->deadline)
		r->cut = "the time budget was spent (--seconds)";
	return r->cut != NULL;
}

static void observe_step(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct path_run *r = ctx;
	struct trace_step s = {.thread = t->id,
		.func = top(t)->func,
		.insn = (uint32_t)(in - frame_func(m, top(t))->insns.at)};
	bool own = !(m->p->funcs.at[s.func].flags & IR_FN_MODEL);
	struct running *at;

	at = running_of(r, t->id);
	s.frame = frame_of(r, t);
	if (r->out->steps.n >= r->limits->max_steps)
		r->cut = "a path has more instructions than --max-instructions";
	else if (r->out->steps.n % LIMIT_STEPS == LIMIT_STEPS - 1)
		limits_reached(r);
	if (r->cut) {
		m->fuel = -1;
		return;
	}
	if (own && !at->begun && t->id) {
		at->begun = true;
		add_op(r, (struct path_op){.thread = t->id,
				  .op = OP_BEGIN,
				  .step = IR_NONE,
				  .other = IR_NONE});
	}
	if (own && at->pending != IR_NONE && r->out->steps.at[at->pending].frame == s.frame &&
		!t->resumed)
		finish_op(r, at);
	at->at_start = false;
	s.at = note_access(r, t, in);
	vec_push(&r->out->steps, s);
	running_of(r, t->id)->last = r->out->steps.n - 1;
	if (own && !t->resumed)
		note_sync(r, t, r->out->steps.n - 1);
}

/* ---- decisions --------------------------------------------------------------------------------- */

/* Which outcome of the branch condition the path takes, if both are possible. */
static bool choose_outcome(struct path_run *r, const struct frame *f, const struct ir_func *fn,
	const struct ir_insn *in)
{
	uint32_t yes = in->arg[1], no = in->arg[2];
	uint32_t block = cfg_block_of(fn, (uint32_t)(in - fn->insns.at));
	bool ends_yes = exits_block(r->facts->exits, f->func, fn->edges.at[yes].to);
	bool ends_no = exits_block(r->facts->exits, f->func, fn->edges.at[no].to);

	if (ends_yes != ends_no)
		return ends_no;
	return distance_of(r->facts->distances, f->func, block, yes) <=
	       distance_of(r->facts->distances, f->func, block, no);
}

static bool path_fork(void *ctx, struct machine *m, struct thread *t, term_t c)
{
	struct path_run *r = ctx;
	struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	const struct ir_insn *in = &fn->insns.at[frame_insn(f, true)];

	(void)c;
	if ((fn->flags & IR_FN_MODEL) || ir_ops[in->op].shape != IR_S_CBR)
		return true;
	return choose_outcome(r, f, fn, in);
}

static void path_incomplete(void *ctx, struct machine *m, struct thread *t, const char *why)
{
	struct path_run *r = ctx;

	(void)m, (void)t;
	add_reason(r->out, *why ? why : "the solver did not decide a query");
}

/* A condition that the path implied counts, too: what implied it need not be in the slice. */
static void path_decided(void *ctx, struct thread *t, term_t holds)
{
	struct path_run *r = ctx;

	vec_push(&r->out->decisions, (struct trace_decision){running_of(r, t->id)->last, holds});
}

const struct sym_ops path_sym_ops = {
	.fork = path_fork, .incomplete = path_incomplete, .decided = path_decided};

/* ---- threads ----------------------------------------------------------------------------------- */

static bool pause_at_marker(
	void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct path_run *r = ctx;
	struct frame *f = top(t);

	if (r->cut)
		return true;
	if (f->code->model || running_of(r, t->id)->at_start ||
		!marker_at(r->facts->markers, f->func, (uint32_t)(in - frame_func(m, f)->insns.at)))
		return false;
	return running_of(r, t->id)->at_marker = true;
}

/* The order of threads: by their calling contexts at the start, then those that are new. */
static bool runs_before(struct path_run *r, uint32_t a, uint32_t b)
{
	uint64_t x = running_of(r, a)->role, y = running_of(r, b)->role;

	return x != y ? x - 1 < y - 1 : a < b;
}

static uint32_t pick_thread(
	void *ctx, struct machine *m, const uint32_t *ready, uint32_t n, enum exec_pick why)
{
	struct path_run *r = ctx;
	uint32_t best = IR_NONE;

	(void)why;
	for (uint32_t i = 0; i < n; i++) {
		struct thread *t = m->threads.at[ready[i]];

		if (running_of(r, ready[i])->at_marker)
			continue;
		if (t->state == THREAD_READY &&
			(best == IR_NONE || m->threads.at[best]->state != THREAD_READY ||
				ready[i] == m->current ||
				(best != m->current && runs_before(r, ready[i], best))))
			best = ready[i];
		if (best == IR_NONE && !t->deadline) /* one of the waiters that a signal may wake */
			best = ready[i];
	}
	if (best != IR_NONE)
		return best;
	r->over = true;
	for (uint32_t i = 0; i < n; i++)
		if (m->threads.at[ready[i]]->state == THREAD_READY)
			return ready[i];
	return ready[0];
}

void path_hooks(struct exec_options *eo, struct path_run *run)
{
	eo->slow = true;
	eo->pick = pick_thread;
	eo->pick_ctx = run;
	eo->observe = observe_step;
	eo->observe_ctx = run;
	eo->pause = pause_at_marker;
	eo->pause_ctx = run;
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* The place of a thread at the end of the epoch: a hash of its calling context. */
static void end_epoch(struct path_run *r)
{
	r->out->end = PATH_EPOCH;
	vec_each (&r->m->threads, i) {
		const struct thread *t = r->m->threads.at[i];
		struct path_place at = {.thread = i, .waiting = t->state == THREAD_WAITING};

		if (t->state == THREAD_DONE)
			continue;
		vec_each (&t->frames, k)
			if (!(r->facts->p->funcs.at[t->frames.at[k].func].flags & IR_FN_MODEL)) {
				at.func = t->frames.at[k].func;
				at.insn = frame_insn(&t->frames.at[k], k + 1 == t->frames.n);
				at.context =
					hash_u64(at.context ^ ((uint64_t)at.func << 32 | at.insn));
			}
		vec_push(&r->out->places, at);
	}
}

/* Classifies the end of the run by the machine's result. */
static void end_run(struct path_run *r)
{
	struct exec_result *res = r->m->res;

	switch (res->fate) {
	case EXEC_EXITED: r->out->end = PATH_EXIT; return;
	case EXEC_FAULT: r->out->end = PATH_FAULT; return;
	case EXEC_DEADLOCK: r->out->end = PATH_DEADLOCK; return;
	case EXEC_STOPPED: break;
	}
	if (res->stop == STOP_ASSUMPTION) {
		r->out->end = PATH_INFEASIBLE;
		return;
	}
	r->out->end = PATH_STOPPED;
	add_reason(r->out, res->report.s ? res->report.s : "the machine stopped");
}

static void note_ended(struct path_run *r, const struct thread *t)
{
	struct running *at = running_of(r, t->id);

	if (t->state != THREAD_DONE || at->ended)
		return;
	at->ended = true;
	add_op(r,
		(struct path_op){.thread = t->id, .op = OP_END, .step = IR_NONE, .other = IR_NONE});
}

static void run_threads(struct path_run *r)
{
	struct machine *m = r->m;
	struct thread *t = m->threads.at[m->current];

	for (;;) {
		enum step st = step_run(m, t);

		r->out->last_thread = t->id;
		note_ended(r, t);
		if (st == STEP_STOP)
			break;
		if (st != STEP_SWITCH && st != STEP_AGAIN)
			continue;
		if (limits_reached(r)) {
			r->out->end = PATH_STOPPED;
			add_reason(r->out, r->cut);
			return;
		}
		t = sched_pick(m, t, st == STEP_AGAIN);
		if (!t)
			break;
		if (r->over) {
			end_epoch(r);
			return;
		}
	}
	end_run(r);
}

/* An operation that has not returned belongs to the epoch in which it does, if to any. A deadlock
 * shows the operations in which its threads are blocked. */
static void leave_pending(struct path_run *r)
{
	vec_each (&r->threads, i) {
		const struct running *at = &r->threads.at[i];

		if (at->pending != IR_NONE && second_op(r->out->ops.at[at->op].op) == SYNC_OP_NONE)
			r->out->ops.at[at->op].op = SYNC_OP_NONE;
	}
}

/* Notes where the frames are that have not returned. */
static void note_stops(struct path_run *r)
{
	vec_each (&r->m->threads, i) {
		const struct thread *t = r->m->threads.at[i];

		vec_each (&t->frames, k) {
			uint64_t f = map_get_or(&r->frames, t->frames.at[k].serial, 0);

			if (f)
				r->out->frames.at[f - 1].stop =
					frame_insn(&t->frames.at[k], k + 1 == t->frames.n);
		}
	}
}

void path_execute(struct path_run *run, struct path *out)
{
	map_clear(&run->frames);
	vec_clear(&run->threads);
	run->out = out;
	begin_threads(run);
	run->over = false;
	run->cut = NULL;
	run->m->res->status = 0;
	strbuf_clear(&run->m->res->report);
	run_threads(run);
	if (out->end != PATH_DEADLOCK)
		leave_pending(run);
	note_stops(run);
	run->out = NULL;
}

void path_release(struct path *p)
{
	vec_each (&p->why, i)
		free(p->why.at[i]);
	vec_release(&p->why);
	vec_release(&p->steps);
	vec_release(&p->frames);
	vec_release(&p->reads);
	vec_release(&p->decisions);
	vec_release(&p->ops);
	vec_release(&p->starts);
	vec_release(&p->places);
	*p = (struct path){0};
}
