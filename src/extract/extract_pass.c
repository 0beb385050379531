#include "extract/extract_pass.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#include <assert.h>
#include <stdlib.h>

enum {
	FAST = CELLS_EVENTS | FOLLOW_BIT(FOLLOW_BLOCKED),
	CAREFUL = FAST | FOLLOW_BIT(FOLLOW_ENTER) | FOLLOW_BIT(FOLLOW_LEAVE)
};

/* ---- parts ---------------------------------------------------------------------------------- */

static void begin_part(struct pass *p, uint32_t stream, const struct follow *f,
	const struct pass_part *part, uint64_t points)
{
	struct extractor *x = part->x;
	uint32_t t = x->thread_of[stream];

	assert(!x->tr && t < x->c->threads.n);
	x->tr = xmalloc(sizeof *x->tr);
	*x->tr = (struct tracer){.stream = stream,
		.thread = t,
		.touched = &p->streams[stream].touched,
		.on = part->from == UINT64_MAX && trace_thread(x->t, stream)->kind != LOG_T_MAIN,
		.points = points,
		.insns = follow_instructions(f),
		.bulk_event = CTP_NONE,
		.value_event = CTP_NONE,
		.joined = CTP_NONE,
		.blocked = LOG_NSYNC,
		.func = IR_NONE,
		.insn = IR_NONE,
		.hidden_event = CTP_NONE,
		.doubt_reg = IR_NONE};
	x->c->threads.at[t].first = x->c->events.n;
}

static void release_tracer(struct tracer *tr)
{
	shadow_frames_release(&tr->frames);
	shadow_mem_release(&tr->mem);
	map_release(&tr->known);
	map_release(&tr->bases);
	vec_release(&tr->args);
	vec_release(&tr->arg_vals);
	vec_release(&tr->rets);
	vec_release(&tr->bulk);
	map_release(&tr->handles);
	vec_release(&tr->hidden_objects);
	map_release(&tr->hidden_seen);
	map_release(&tr->transferred);
	vec_release(&tr->own);
	vec_release(&tr->robust);
	free(tr);
}

static void end_part(const struct pass_part *part)
{
	struct extractor *x = part->x;
	struct ctp_thread *th = &x->c->threads.at[x->tr->thread];

	assert(th->first <= x->c->events.n);
	th->n = x->c->events.n - th->first;
	th->cut |= x->tr->cut;
	th->exits |= x->tr->exits;
	if (!x->chunk)
		x->c->instructions += x->tr->insns;
	release_tracer(x->tr);
	x->tr = NULL;
}

/* Ends and begins parts when the thread has passed that number of points. */
static void change_parts(struct pass *p, uint32_t stream, struct follow *f, uint64_t points)
{
	struct pass_stream *st = &p->streams[stream];

	for (uint32_t i = 0; i < st->active.n;) {
		const struct pass_part *part = &st->parts.at[st->active.at[i]];

		if (points < part->to) {
			i++;
			continue;
		}
		end_part(part);
		st->active.at[i] = vec_pop(&st->active);
	}
	while (st->next < st->parts.n && st->parts.at[st->next].early <= points) {
		if (!st->careful) {
			follow_shift(f, true, CAREFUL);
			st->careful = true;
		}
		begin_part(p, stream, f, &st->parts.at[st->next], points);
		vec_push(&st->active, st->next++);
	}
	if (p->shifts && st->careful && !st->active.n) {
		follow_shift(f, false, FAST);
		st->careful = false;
	}
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Ends the active parts of the current stream, whose log has ended. */
static void end_stream(struct pass *p)
{
	struct pass_stream *st;

	if (p->at == CTP_NONE)
		return;
	st = &p->streams[p->at];
	vec_each (&st->active, i) {
		extract_thread_ends(st->parts.at[st->active.at[i]].x);
		end_part(&st->parts.at[st->active.at[i]]);
	}
	touched_release(&st->touched);
	p->at = CTP_NONE;
}

/* The trace is re-executed one thread after the other: begins with the thread when its first event
 * arrives. */
static void turn_to(struct pass *p, uint32_t stream, struct follow *f)
{
	struct pass_stream *st = &p->streams[stream];
	struct extractor *base = p->base;

	if (p->at == stream)
		return;
	end_stream(p);
	p->at = stream;
	touched_init(&st->touched, &base->sync->g, &base->sync->o, &base->sets, stream);
	st->touched.pl = base->pl;
	st->touched.func = IR_NONE;
	st->touched.fixed_lo = base->fixed.fixed_lo;
	st->touched.fixed_hi = base->fixed.fixed_hi;
	change_parts(p, stream, f, 0);
}

/* ---- events --------------------------------------------------------------------------------- */

static void on_insn(void *ctx, uint32_t thread, struct follow *f, uint32_t func, uint32_t insn)
{
	struct pass *p = ctx;
	struct pass_stream *st = &p->streams[thread];

	if (p->base->thread_of[thread] == CTP_NONE)
		return;
	turn_to(p, thread, f);
	vec_each (&st->active, i) {
		const struct pass_part *part = &st->parts.at[st->active.at[i]];

		part->x->tr->on |= part->x->tr->points >= part->from;
		step_insn_begins(part->x, f, func, insn);
	}
}

static bool is_sync(const struct follow_event *e)
{
	return e->kind == FOLLOW_SYNC || e->kind == FOLLOW_BEGIN || e->kind == FOLLOW_END;
}

/* Whether the event is a record with a scheduling point. */
static bool is_point(const struct pass *p, const struct follow_event *e)
{
	return e->kind == FOLLOW_SYNC && e->callee < p->base->p->funcs.n &&
	       (p->base->traits[e->callee] & FUNC_SYNC);
}

static void data_event(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	switch (e->kind) {
	case FOLLOW_READ:
		if (e->bytes)
			data_bulk_read(x, f, e);
		else
			data_access(x, f, e, false);
		break;
	case FOLLOW_WRITE:
		if (e->bytes)
			data_bulk_write(x, f, e);
		else
			data_access(x, f, e, false);
		break;
	case FOLLOW_RMW:
	case FOLLOW_CAS_FAIL: data_access(x, f, e, false); break;
	case FOLLOW_NATIVE_READ:
	case FOLLOW_NATIVE_WRITE: data_native(x, f, e); break;
	case FOLLOW_RETURN: data_pure(x, f, e); break;
	case FOLLOW_ENTER: step_enter(x, f, e); break;
	case FOLLOW_LEAVE: step_leave(x, f, e); break;
	}
	if (e->kind == FOLLOW_READ || e->kind == FOLLOW_NATIVE_READ)
		hidden_read(x, f, e);
}

static void part_event(const struct pass *p, const struct pass_part *part, struct follow *f,
	const struct follow_event *e)
{
	struct extractor *x = part->x;

	/* the point of an access is counted before its event: on_insn() checks it */
	if (is_sync(e) || e->kind == FOLLOW_BLOCKED)
		x->tr->on |= x->tr->points >= part->from;
	if (x->chunk && !x->tr->on) {
		x->tr->points += is_point(p, e);
		return;
	}
	if (e->kind == FOLLOW_RETURN)
		hidden_return(x, f, e);
	else if (is_sync(e))
		hidden_synchronized(x);
	if (is_sync(e))
		sync_event(x, f, e);
	else if (e->kind == FOLLOW_LOCAL)
		step_local(x, f, e);
	else if (e->kind == FOLLOW_BLOCKED && !x->tr->cut)
		sync_blocked(x, f, e);
	else if (e->kind == FOLLOW_LEAVE || (x->tr->on && !x->tr->cut))
		data_event(x, f, e);
}

/* If the thread has too many accesses: leaves out later events, in every thread. */
static void cut_long(struct extractor *x)
{
	struct tracer *tr = x->tr;
	uint32_t n = tr->touched->events;

	if (tr->cut || tr->accesses <= x->max_accesses)
		return;
	tr->cut = true;
	if (n < x->sync->h.threads.at[tr->stream].events.n)
		x->cut_rank = MIN(x->cut_rank, sync_order_first(&x->sync->o, tr->stream, n));
	extract_limit(x, "only the first part of the run is modelled: it has too many accesses to "
			 "shared memory");
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct pass *p = ctx;
	struct pass_stream *st = &p->streams[thread];
	const struct sync_thread *h = &p->base->sync->h.threads.at[thread];

	if (p->base->thread_of[thread] == CTP_NONE)
		return;
	turn_to(p, thread, f);
	if (e->kind == FOLLOW_BEGIN)
		*map_put(&p->base->selves, e->thread->self) = p->base->thread_of[thread] + 1;
	vec_each (&st->active, i)
		part_event(p, &st->parts.at[st->active.at[i]], f, e);
	if (e->kind == FOLLOW_LOCAL)
		touched_local(&st->touched, e->addr, e->size, e->func, e->local);
	if (is_sync(e) && st->touched.events < h->events.n)
		touched_sync(&st->touched, &h->events.at[st->touched.events]);
	vec_each (&st->active, i)
		cut_long(st->parts.at[st->active.at[i]].x);
	if (e->kind != FOLLOW_ENTER && e->kind != FOLLOW_LEAVE)
		change_parts(p, thread, f, follow_points(f) + is_point(p, e));
}

/* ---- the pass ------------------------------------------------------------------------------- */

static int compare_part(const void *a, const void *b)
{
	const struct pass_part *x = a, *y = b;

	return x->early < y->early ? -1 : x->early > y->early;
}

void pass_init(struct pass *p, struct extractor *base, bool shifts)
{
	*p = (struct pass){.base = base,
		.nstreams = trace_nthreads(base->t),
		.at = CTP_NONE,
		.shifts = shifts};
	p->streams = xcalloc(p->nstreams + 1, sizeof *p->streams);
}

void pass_add(struct pass *p, uint32_t stream, const struct pass_part *part)
{
	assert(stream < p->nstreams && p->base->thread_of[stream] != CTP_NONE);
	assert(part->early <= part->from && part->early < part->to);
	vec_push(&p->streams[stream].parts, *part);
}

int pass_run(struct pass *p)
{
	struct trace_observer o = {.event = on_event,
		.insn = on_insn,
		.ctx = p,
		.kinds = p->shifts ? FAST : CAREFUL,
		.shifts = p->shifts};
	int status;

	for (uint32_t i = 0; i < p->nstreams; i++) {
		struct pass_stream *st = &p->streams[i];

		st->careful = !p->shifts;
		if (st->parts.n)
			qsort(st->parts.at, st->parts.n, sizeof *st->parts.at, compare_part);
	}
	status = trace_follow(p->base->t, &o, NULL, 1);
	end_stream(p);
	return status;
}

void pass_release(struct pass *p)
{
	for (uint32_t i = 0; i < p->nstreams; i++) {
		vec_release(&p->streams[i].parts);
		vec_release(&p->streams[i].active);
	}
	free(p->streams);
}
