/*
 * Deadlocks of locks alone: cycles of any length in the lock graph, and a thread that locks what it
 * holds. Deadlocks with other waits are stuck states (stuck.h).
 *
 * An edge of the graph (a *dependency*) is a thread that stands before taking one lock while it
 * holds another. A cycle needs a different thread for every edge, and no common lock (a gate)
 * outside of the cycle: mhb_co_enabled() checks both. Edges that differ only in time are
 * represented by some of them.
 */
#include "base/hash.h"
#include "explain/deadlock.h"
#include "predict/candidates.h"
#include "predict/stuck.h"

#include "log/schedule.h"
#include "trace/check.h"

#include <stdlib.h>
#include <string.h>

enum {
	REPRESENTATIVES = 8, /* of edges that differ only in time */
	STEPS = 1 << 20,     /* of the search for cycles */
};

struct dep {
	uint64_t wants, holds;
	uint64_t alike; /* hash of thread, locks and place */
	uint32_t event, thread;
	bool wants_shared, holds_shared;
};

struct cycles {
	struct candidates *cs;
	const struct ctp *c;
	VEC(struct dep) deps; /* by lock that is held */
	struct map by_held;   /* lock -> first of deps, + 1 */
	struct map tries;     /* group -> candidates */
	struct vec_u32 path;
	uint32_t steps;
	bool cut;
};

bool event_may_block(const struct ctp_event *e)
{
	switch (e->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK: return !(e->flags & (CTP_TIMED | CTP_TRIED | CTP_RECURSIVE));
	case CTP_SEM_WAIT: return !(e->flags & (CTP_TIMED | CTP_TRIED));
	case CTP_JOIN:
		return ctp_peer(e) != CTP_NONE && !(e->flags & (CTP_TIMED | CTP_TRIED));
	case CTP_WOKEN: return !(e->flags & CTP_TIMED);
	case CTP_BARRIER_LEAVE: return true;
	default: return false;
	}
}

/* ---- the graph ------------------------------------------------------------------------------ */

static uint64_t hash_dep(const struct dep *d, const struct ctp *c)
{
	uint64_t h = ctp_places_hash(c, &d->event, 1);

	h = hash_u64(h ^ hash_u64(d->thread));
	h = hash_u64(h ^ hash_u64(2 * d->wants + d->wants_shared));
	return hash_u64(h ^ hash_u64(2 * d->holds + d->holds_shared));
}

/* Keeps the first ones, and overwrites the others with the latest. */
static void add_dep(struct cycles *y, struct map *count, struct map *first, struct dep d)
{
	uint64_t n, *at;

	d.alike = hash_dep(&d, y->c);
	n = (*map_put(count, d.alike))++;
	if (n < REPRESENTATIVES) {
		*map_put(first, hash_u64(d.alike) + n) = y->deps.n;
		vec_push(&y->deps, d);
		return;
	}
	y->cut = true;
	n = REPRESENTATIVES / 2 + n % (REPRESENTATIVES / 2);
	at = map_get(first, hash_u64(d.alike) + n);
	y->deps.at[*at] = d;
}

static int by_held(const void *x, const void *y)
{
	const struct dep *a = x, *b = y;

	if (a->holds != b->holds)
		return a->holds < b->holds ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

static void build_graph(struct cycles *y)
{
	struct map count = {0}, first = {0};
	struct vec_u32 held = {0};

	vec_each (&y->c->events, i) {
		const struct ctp_event *e = ctp_at(y->c, i);

		if ((e->kind != CTP_LOCK && e->kind != CTP_RDLOCK) || !event_may_block(e))
			continue;
		vec_clear(&held);
		mhb_held(y->cs->mhb, i, &held);
		vec_each (&held, k) {
			const struct ctp_region *r = &y->c->regions.at[held.at[k]];

			if (r->object != e->object && r->thread == e->thread)
				add_dep(y, &count, &first,
					(struct dep){.wants = e->object,
						.holds = r->object,
						.event = i,
						.thread = e->thread,
						.wants_shared = e->kind == CTP_RDLOCK,
						.holds_shared = r->shared});
		}
	}
	if (y->deps.n)
		qsort(y->deps.at, y->deps.n, sizeof *y->deps.at, by_held);
	for (uint32_t i = y->deps.n; i--;)
		*map_put(&y->by_held, y->deps.at[i].holds) = i + 1;
	vec_release(&held);
	map_release(&count);
	map_release(&first);
}

/* ---- cycles --------------------------------------------------------------------------------- */

static void add_cycle(struct cycles *y)
{
	struct vec_u32 at = {0};
	struct candidate *k;
	uint64_t group;
	uint32_t cost = 0;
	bool pending = true;

	vec_each (&y->path, i) {
		vec_push(&at, y->deps.at[y->path.at[i]].event);
		cost += rank_distance(y->c, at.at[0], at.at[i]);
		pending &= !!(ctp_at(y->c, at.at[i])->flags & CTP_PENDING);
	}
	group = group_of_set(y->c, FAULT_DEADLOCK, at.at, at.n);
	if ((*map_put(&y->tries, group))++ < GROUP_TRIES) {
		k = candidates_add(y->cs, FAULT_DEADLOCK, SCHED_GOAL_STUCK, at.at, at.n);
		k->group = group;
		k->cost = cost;
		k->v.certain = pending;
		k->v.title = deadlock_title(y->c, at.at, at.n);
		vec_each (&at, i)
			query_at(&k->query, at.at[i]);
	} else {
		y->cut = true;
	}
	vec_release(&at);
}

static bool fits_path(const struct cycles *y, const struct dep *d)
{
	const struct dep *first = &y->deps.at[y->path.at[0]];

	if (d->thread <= first->thread) /* a cycle is found from its least thread only */
		return false;
	vec_each (&y->path, i) {
		const struct dep *p = &y->deps.at[y->path.at[i]];

		if (p->thread == d->thread || !mhb_co_enabled(y->cs->mhb, p->event, d->event))
			return false;
	}
	return true;
}

static void extend_path(struct cycles *y)
{
	const struct dep *first = &y->deps.at[y->path.at[0]],
			 *last = &y->deps.at[vec_last(&y->path)];
	uint32_t i = (uint32_t)map_get_or(&y->by_held, last->wants, 0);

	if (y->path.n > 1 && last->wants == first->holds &&
		!(last->wants_shared && first->holds_shared)) {
		add_cycle(y);
		return;
	}
	for (; i && i <= y->deps.n && y->deps.at[i - 1].holds == last->wants; i++) {
		const struct dep *d = &y->deps.at[i - 1];

		if (!y->steps--) {
			y->steps = 0;
			y->cut = true;
			return;
		}
		y->cs->seen++;
		if ((last->wants_shared && d->holds_shared) || !fits_path(y, d)) {
			y->cs->filtered++;
			continue;
		}
		vec_push(&y->path, i - 1);
		extend_path(y);
		(void)vec_pop(&y->path);
	}
}

static void find_cycles(struct candidates *cs)
{
	struct cycles y = {.cs = cs, .c = cs->c, .steps = STEPS};

	build_graph(&y);
	vec_each (&y.deps, i) {
		vec_push(&y.path, i);
		extend_path(&y);
		vec_clear(&y.path);
	}
	if (y.cut)
		candidates_limit(cs, "nested locks that were taken many times: some of their "
				     "combinations were not checked for deadlocks");
	vec_release(&y.deps);
	vec_release(&y.path);
	map_release(&y.by_held);
	map_release(&y.tries);
}

/* ---- a thread that locks what it holds ------------------------------------------------------- */

static bool is_owned_once(const struct ctp *c, uint64_t object)
{
	const struct ctp_object *o = ctp_object(c, object);

	/* a recursive mutex may be taken again, an error-checking one returns an error */
	return o && (o->kind != CHECK_MUTEX || o->type == 0 || o->type == 3);
}

/* The next LOCK of the same lock by the same thread, if only another thread's UNLOCK made it
 * succeed. */
static void find_double_lock(struct candidates *cs, const struct ctp_region *r)
{
	const struct ctp_thread *t = &cs->c->threads.at[r->thread];

	for (uint32_t i = r->begin + 1; i < t->first + t->n; i++) {
		const struct ctp_event *e = ctp_at(cs->c, i);
		struct candidate *k;

		if (e->object != r->object)
			continue;
		cs->seen++;
		if (e->kind != CTP_LOCK || !event_may_block(e) ||
			(!r->foreign && !(e->flags & CTP_PENDING)))
			return; /* unlocked, initialized again, or tried */
		k = candidates_add(
			cs, FAULT_DOUBLE_LOCK, SCHED_GOAL_STUCK, (uint32_t[]){i, r->begin}, 2);
		k->group = group_of_list(cs->c, FAULT_DOUBLE_LOCK, &i, 1);
		k->cost = rank_distance(cs->c, i, r->begin);
		k->v.title = title_of_object(cs->c, FAULT_DOUBLE_LOCK, r->object);
		k->v.certain = r->end == CTP_NONE && e->flags & CTP_PENDING;
		query_at(&k->query, i);
		if (r->end != CTP_NONE) {
			query_add(&k->query,
				(struct atom){.kind = ATOM_RUN, .negated = true, .a = r->end});
			query_end_clause(&k->query);
		}
		return;
	}
}

/* Error-checking locks that returned an error. */
static void find_refused_locks(struct candidates *cs)
{
	struct vec_u32 held = {0};

	vec_each (&cs->c->events, i) {
		const struct ctp_event *e = ctp_at(cs->c, i);
		uint32_t keys[2] = {i, CTP_NONE};
		struct candidate *k;

		if (e->kind != CTP_TRYFAIL || !(e->flags & CTP_ERRORCHECK))
			continue;
		cs->seen++;
		vec_clear(&held);
		mhb_held(cs->mhb, i, &held);
		vec_each (&held, n)
			if (cs->c->regions.at[held.at[n]].object == e->object)
				keys[1] = cs->c->regions.at[held.at[n]].begin;
		k = candidates_add(cs, FAULT_DOUBLE_LOCK, SCHED_GOAL_NONE, keys,
			keys[1] == CTP_NONE ? 1 : 2);
		k->group = group_of_list(cs->c, FAULT_DOUBLE_LOCK, &i, 1);
		k->v.title = title_of_object(cs->c, FAULT_DOUBLE_LOCK, e->object);
		k->v.certain = true;
	}
	vec_release(&held);
}

void prop_deadlock(struct candidates *cs, uint32_t kinds)
{
	if (kind_wanted(kinds, FAULT_DEADLOCK))
		find_cycles(cs);
	if (kind_wanted(kinds, FAULT_DEADLOCK) || kind_wanted(kinds, FAULT_LOST_WAKEUP) ||
		kind_wanted(kinds, FAULT_HANG))
		stuck_states(cs, kinds);
	if (!kind_wanted(kinds, FAULT_DOUBLE_LOCK))
		return;
	find_refused_locks(cs);
	vec_each (&cs->c->regions, i) {
		const struct ctp_region *r = &cs->c->regions.at[i];

		if (r->begin != CTP_NONE && !r->shared && (r->foreign || r->end == CTP_NONE) &&
			is_owned_once(cs->c, r->object))
			find_double_lock(cs, r);
	}
}
