/*
 * A witness as a schedule of the real program (log/schedule.h).
 *
 * A segment is a maximal sequence of events of one thread; it ends behind its last event. Events
 * without a scheduling point of their own (guards, the begin of a thread, accesses of library
 * functions) end before the thread's next point. At the end every thread of the goal is brought to
 * the point that it stands before. In a chunk of a longer run the segments that lead to its start
 * come first (ctp.before).
 *
 * There is no scheduling point between the last value that a failing assertion reads and the
 * failure. So the failing thread stops before its last event, has the last segment, and runs on by
 * itself; events of other threads after that event in the witness are left out. They do not matter:
 * the condition depends only on values that the thread itself has read.
 */
#include "explain/explain_internal.h"

#include "base/base.h"
#include "log/schedule.h"

#include <assert.h>
#include <string.h>

struct scheduler {
	const struct ctp *c;
	struct finding *f;
	uint64_t *at; /* by thread: the point that it stands before at the end of the schedule so
			 far */
};

/* The event has no point of its own: it ends when the thread stands before the point e->point. */
static bool has_no_point(const struct ctp_event *e)
{
	return ctp_is_guard(e->kind) || e->kind == CTP_BEGIN || e->kind == CTP_END ||
	       e->kind == CTP_FAIL || e->kind == CTP_ATOMIC_BEGIN || e->kind == CTP_ATOMIC_END ||
	       e->kind == CTP_HIDDEN || (e->kind == CTP_FREE && e->flags & CTP_RETURN) ||
	       e->flags & CTP_NATIVE_USE;
}

static uint64_t over_at(const struct ctp_event *e)
{
	return has_no_point(e) ? e->point : e->point + 1;
}

/* Appends a segment, or extends the last one; `always`: also if the thread stands there already. */
static void add_segment(struct scheduler *s, uint32_t thread, uint64_t until, bool always)
{
	struct finding_move *last = s->f->moves.n ? &vec_last(&s->f->moves) : NULL;

	if (until < s->at[thread] || (until == s->at[thread] && !always))
		return;
	assert(thread < s->c->threads.n);
	assert(!last || last->thread != thread || last->until == s->at[thread]);
	s->at[thread] = until;
	if (last && last->thread == thread)
		last->until = until;
	else
		vec_push(&s->f->moves, (struct finding_move){thread, until});
}

/* Removes reads and guards at the end of threads without a key event: other threads do not see
 * them, but the real thread may fail in them. */
static void trim_tail(
	const struct ctp *c, const struct violation *v, struct vec_u32 *events, uint32_t failing)
{
	struct bitset settled = {0};
	uint32_t n = events->n;

	for (uint32_t i = 0; i < v->nkeys; i++)
		bitset_add(&settled, ctp_at(c, v->key[i])->thread);
	if (failing != CTP_NONE)
		bitset_add(&settled, failing);
	for (uint32_t i = events->n; i-- > 0;) {
		const struct ctp_event *e = ctp_at(c, events->at[i]);

		if (bitset_has(&settled, e->thread))
			continue;
		if (e->kind == CTP_READ || ctp_is_guard(e->kind))
			events->at[i] = CTP_NONE;
		else
			bitset_add(&settled, e->thread);
	}
	events->n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (events->at[i] != CTP_NONE)
			events->at[events->n++] = events->at[i];
	bitset_release(&settled);
}

bool schedule_fails_by_itself(const struct ctp *c, const struct violation *v)
{
	if (v->goal != SCHED_GOAL_NONE || !v->nkeys)
		return false;
	switch (v->kind) {
	case FAULT_ASSERT:
	case FAULT_DIVISION:
	case FAULT_CRASH:
	case FAULT_BRANCH:
	case FAULT_NULL_DEREF:
	case FAULT_WILD_DEREF:
	case FAULT_OVERFLOW: return has_no_point(ctp_at(c, v->key[0])) || v->certain;
	default: return false;
	}
}

/* One more than the index of the thread's last event with a point of its own; 0: none. */
static uint32_t last_point_of(const struct ctp *c, const struct vec_u32 *events, uint32_t thread)
{
	uint32_t n = events->n;

	while (n && (ctp_at(c, events->at[n - 1])->thread != thread ||
			    has_no_point(ctp_at(c, events->at[n - 1]))))
		n--;
	return n;
}

static void add_witness(struct scheduler *s, const struct vec_u32 *events)
{
	vec_each (events, i) {
		const struct ctp_event *e = ctp_at(s->c, events->at[i]);

		add_segment(s, e->thread, over_at(e), false);
	}
}

/* Keeps the events before the failing thread's last point; returns the point. */
static uint64_t cut_before_failure(const struct ctp *c, struct vec_u32 *events, uint32_t thread)
{
	uint32_t n = last_point_of(c, events, thread);

	if (!n) /* it fails without a scheduling point before */
		return 0;
	events->n = n - 1;
	return ctp_at(c, events->at[n - 1])->point;
}

static void thread_of(const struct ctp *c, uint32_t t, struct finding *f)
{
	const struct ctp_thread *th = &c->threads.at[t];

	vec_push(&f->threads,
		(struct finding_thread){.parent = th->parent == CTP_NONE ? UINT32_MAX : th->parent,
			.nth = th->parent == CTP_NONE ? UINT32_MAX : th->nth});
}

/* Fills the threads of the finding: those of the trace program up to the last one that it needs. */
static void fill_threads(
	const struct ctp *c, const struct violation *v, const struct witness *w, struct finding *f)
{
	uint32_t most = 0;

	vec_each (&c->before, i)
		most = MAX(most, c->before.at[i].thread);
	vec_each (&w->events, i)
		most = MAX(most, ctp_at(c, w->events.at[i])->thread);
	for (uint32_t i = 0; i < v->nkeys; i++)
		most = MAX(most, ctp_at(c, v->key[i])->thread);
	for (uint32_t t = 0; t <= most && t < c->threads.n; t++)
		if (c->threads.at[t].parent != CTP_NONE)
			most = MAX(most, c->threads.at[t].parent);
	for (uint32_t t = f->threads.n; t <= most && t < c->threads.n; t++)
		thread_of(c, t, f);
}

static void set_goal(const struct ctp *c, const struct violation *v, struct finding *f)
{
	const struct ctp_event *a = v->nkeys > 0 ? ctp_at(c, v->key[0]) : NULL,
			       *b = v->nkeys > 1 ? ctp_at(c, v->key[1]) : NULL;

	f->goal = v->goal;
	f->a = a ? a->thread : UINT32_MAX;
	f->at_a = a ? a->point : 0;
	f->b = b ? b->thread : UINT32_MAX;
	f->at_b = b ? b->point : 0;
	if (a && v->goal == SCHED_GOAL_NONE && v->kind != FAULT_ATOMICITY &&
		v->kind != FAULT_HANG && v->kind != FAULT_BRANCH)
		f->expect_thread = a->thread;
}

void schedule_of(
	const struct ctp *c, const struct violation *v, const struct witness *w, struct finding *f)
{
	struct scheduler s = {.c = c, .f = f, .at = xcalloc(c->threads.n + 1, sizeof *s.at)};
	bool fails = schedule_fails_by_itself(c, v);
	uint32_t failing = fails ? ctp_at(c, v->key[0])->thread : CTP_NONE;
	struct vec_u32 events = {0};
	struct bitset done = {0};
	uint64_t stop;

	vec_each (&w->events, i) {
		vec_push(&events, w->events.at[i]);
		bitset_add(&done, w->events.at[i]);
	}
	fill_threads(c, v, w, f);
	set_goal(c, v, f);
	f->switches = w->switches;
	stop = fails ? cut_before_failure(c, &events, failing) : 0;
	trim_tail(c, v, &events, failing);
	vec_each (&c->before, i)
		add_segment(&s, c->before.at[i].thread, c->before.at[i].until, false);
	add_witness(&s, &events);
	if (fails)
		add_segment(&s, failing, MAX(stop, s.at[failing]), true);
	/* the thread of the first key has the last segment: it continues */
	for (uint32_t i = v->nkeys; !fails && i-- > 0;)
		if (!bitset_has(&done, v->key[i]))
			add_segment(&s, ctp_at(c, v->key[i])->thread, ctp_at(c, v->key[i])->point,
				true);
	vec_release(&events);
	bitset_release(&done);
	free(s.at);
}
