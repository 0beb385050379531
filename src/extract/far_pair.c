#include "extract/far_pair.h"

#include "base/base.h"
#include "base/search.h"
#include "extract/partition_chunk.h"
#include "trace/check.h"

#include <stdlib.h>

/* Entries before each access that belong to its chunk; limit of the segments of a plan. */
enum { LEAD = 125, MAX_MOVES = 1 << 14 };

struct planner {
	const struct ix *ix;
	struct far_pair *out;
	uint32_t *at;         /* by thread: its position after the segments so far */
	bool *active;         /* by thread: it waits for another thread of the plan */
	uint32_t held, limit; /* the thread that stops, and its position then */
};

/* Whether the thread cannot pass the operation before the one that it depends on in the run. Locks are
 * no such operations, because another order of critical sections is possible. */
static bool waits_for_other(const struct sync_event *s)
{
	switch (s->kind) {
	case SYNC_BEGIN:
	case LOG_S_COND_WOKEN:
	case LOG_S_SEM_WAIT:
	case LOG_S_BARRIER_LEAVE: return true;
	case LOG_S_JOIN: return sync_succeeded(s);
	case LOG_S_ONCE: return s->extra != 1;
	default: return false;
	}
}

static bool add_segment(struct planner *p, uint32_t t, uint32_t pos)
{
	uint64_t until = past_point(p->ix, t, pos), before = past_point(p->ix, t, p->at[t]);

	p->at[t] = pos;
	if (until <= before)
		return true;
	if (p->out->moves.n && vec_last(&p->out->moves).thread == t)
		vec_last(&p->out->moves).until = until;
	else
		vec_push(&p->out->moves, (struct ctp_move){t, until});
	return p->out->moves.n < MAX_MOVES;
}

static bool run_to(struct planner *p, uint32_t t, uint32_t pos);

/* Runs the thread of the entry behind it, and on to where it holds no lock. False: that thread is
 * stopped before. */
static bool run_over(struct planner *p, uint32_t entry)
{
	const struct ix *ix = p->ix;
	uint32_t u = ix_thread_of(ix, entry),
		 end = ix_event_end(ix, u, entry - ix->threads[u].first);

	if (end <= p->at[u])
		return true;
	if (u == p->held && end > p->limit)
		return false;
	return run_to(p, u, u == p->held ? p->limit : past_settle(ix, u, end)) && p->at[u] >= end;
}

/* Runs the thread to the position; less far if it has to wait for a thread that waits for it. */
static bool run_to(struct planner *p, uint32_t t, uint32_t pos)
{
	const struct ix *ix = p->ix;

	p->active[t] = true;
	for (uint32_t i = p->at[t]; i < pos; i++) {
		uint32_t on = ix->on[ix->threads[t].first + i];

		if (ix_at(ix, t, i)->kind != IX_SYNC || on == CTP_NONE ||
			!waits_for_other(ix_sync(ix, t, i)))
			continue;
		if (p->active[ix_thread_of(ix, on)]) {
			if (ix_thread_of(ix, on) == t)
				continue;
			pos = i;
			break;
		}
		if (!add_segment(p, t, i) || !run_over(p, on))
			return false;
	}
	p->active[t] = false;
	return add_segment(p, t, pos);
}

static uint32_t lead_of(const struct ix *ix, uint32_t t, uint32_t pos)
{
	uint32_t from = past_settle(ix, t, pos - MIN(pos, (uint32_t)LEAD));

	return from <= pos ? from : past_settle(ix, t, pos);
}

static void note_access(
	const struct ix *ix, struct far_pair *f, uint32_t k, uint32_t t, uint32_t pos)
{
	f->thread[k] = ctp_thread_name(ix->x->c, t);
	f->point[k] = ix_at(ix, t, pos)->point;
	f->place[k] = ix_at(ix, t, pos)->place;
}

bool far_pair_plan(const struct past_tables *p, uint32_t t, uint32_t a, uint32_t u, uint32_t b,
	struct far_pair *out)
{
	const struct ix *ix = p->ix;
	bool swapped = ix->rank[ix->threads[t].first + a] > ix->rank[ix->threads[u].first + b];
	uint32_t early = swapped ? u : t, late = swapped ? t : u;
	uint32_t hold = lead_of(ix, early, swapped ? b : a),
		 stop = lead_of(ix, late, swapped ? a : b);
	struct planner pl = {.ix = ix,
		.out = out,
		.at = xcalloc(ix->nthreads + 1, sizeof *pl.at),
		.active = xcalloc(ix->nthreads + 1, sizeof *pl.active),
		.held = early,
		.limit = hold};
	bool ok;

	*out = (struct far_pair){0};
	note_access(ix, out, 0, t, a);
	note_access(ix, out, 1, u, b);
	ok = hold <= (swapped ? b : a) && stop <= (swapped ? a : b) && run_to(&pl, early, hold) &&
	     pl.at[early] == hold && run_to(&pl, late, stop) && pl.at[late] == stop && out->moves.n;
	free(pl.at);
	free(pl.active);
	if (!ok)
		far_pair_release(out);
	return ok;
}

void far_pair_release(struct far_pair *f)
{
	vec_release(&f->moves);
}

bool far_pair_find(
	const struct ix *ix, const struct far_pair *f, uint32_t thread[2], uint32_t pos[2])
{
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t t = 0, i, n;

		while (t < ix->nthreads && ctp_thread_name(ix->x->c, t) != f->thread[k])
			t++;
		if (t == ix->nthreads)
			return false;
		thread[k] = t;
		n = ix->threads[t].at.n;
		i = lower_bound(0u, n, m, ix_at(ix, t, m)->point, f->point[k]);
		while (i < n && ix_at(ix, t, i)->point == f->point[k] &&
			ix_at(ix, t, i)->place != f->place[k])
			i++;
		if (i == n || ix_at(ix, t, i)->point != f->point[k])
			return false;
		pos[k] = i;
	}
	return true;
}
