#include "predict/stuck.h"

#include "base/bitset.h"
#include "log/schedule.h"
#include "predict/candidates.h"
#include "trace/collect.h"

#include <stdlib.h>
#include <string.h>

enum {
	CENTRES = 64,    /* of one place, the first and the last */
	STATES = 64,     /* of one centre that are asked about */
	NODES = 1 << 14, /* of the search around one centre */
	NEAR = 16,       /* positions of a thread that are tried, on each side of the centre */
	CONSUMERS = 16,  /* ways to say who got which signal, of one state */
	ROUNDS = 32,     /* of what can be part of a state */
	MAX_THREADS = 64,
};
#define UNSET    UINT32_MAX /* positions that are no event */
#define FINISHED (UINT32_MAX - 1)
#define UNBORN   (UINT32_MAX - 2)
#define ABSENT   (UINT32_MAX - 3) /* another alternative of the thread runs (merge.h) */

struct keyed {
	uint64_t key;
	uint32_t at;
};
struct index { /* sorted by key, then number */
	struct keyed *at;
	uint32_t n, cap;
};

struct stuck {
	struct candidates *cs;
	const struct ctp *c;
	uint32_t kinds;
	struct vec_u32 blocking[MAX_THREADS]; /* blocking events that can be part of a state */
	struct bitset viable;                 /* the same as a set of events */
	struct index regions;                 /* by lock */
	struct index signals;                 /* SIGNAL, BROADCAST by condition variable */
	struct index wokens;                  /* WOKEN by condition variable */
	struct index counted;                 /* semaphore and barrier events by object */
	/* the search around one centre */
	uint32_t centre;
	uint32_t pos[MAX_THREADS];
	uint32_t nodes, states;
	bool cut;
};

static int by_key(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void index_sort(struct index *ix)
{
	if (ix->n)
		qsort(ix->at, ix->n, sizeof *ix->at, by_key);
}

static uint32_t index_find(const struct index *ix, uint64_t key)
{
	uint32_t lo = 0, hi = ix->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ix->at[mid].key < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
#define index_each(ix, k, i)                                                                       \
	for (uint32_t i = index_find(ix, k); i < (ix)->n && (ix)->at[i].key == (k); i++)

static bool is_event(uint32_t position)
{
	return position < ABSENT;
}

static bool ends_surely(const struct ctp *c, uint32_t t)
{
	/* when the main thread ends, so does the process: nobody hangs then */
	return ctp_group(c, t) && c->threads.at[t].end != CTP_NONE && !c->threads.at[t].cut;
}

/* ---- what can be part of a stuck state ------------------------------------------------------- */

/* The first event of a thread's blocking ones at or after e; its index. */
static uint32_t blocking_from(const struct vec_u32 *v, uint32_t e)
{
	uint32_t lo = 0, hi = v->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (v->at[mid] < e)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool holds_at_end(const struct ctp *c, const struct ctp_region *r)
{
	return r->end == CTP_NONE && ends_surely(c, r->thread);
}

/* A thread may be stuck inside of the region, or have ended without giving it back. */
static bool region_may_stay(const struct stuck *s, const struct ctp_region *r)
{
	const struct vec_u32 *v = &s->blocking[r->thread];
	uint32_t i;

	if (r->begin == CTP_NONE || r->foreign)
		return false;
	if (holds_at_end(s->c, r))
		return true;
	i = blocking_from(v, r->begin + 1);
	return i < v->n && (r->end == CTP_NONE || v->at[i] <= r->end);
}

static bool excludes_event(const struct ctp_region *r, const struct ctp_event *e)
{
	return r->thread != e->thread && !(r->shared && e->kind == CTP_RDLOCK);
}

static bool may_stay_blocked(const struct stuck *s, uint32_t event)
{
	const struct ctp_event *e = ctp_at(s->c, event);

	switch (e->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK:
		index_each(&s->regions, e->object, i)
		{
			const struct ctp_region *r = &s->c->regions.at[s->regions.at[i].at];

			if (excludes_event(r, e) && region_may_stay(s, r))
				return true;
		}
		return false;
	case CTP_JOIN:
		for (uint32_t t = 0; t < s->c->threads.n; t++)
			if (ctp_group(s->c, t) == ctp_group(s->c, e->other) && s->blocking[t].n)
				return true;
		return false;
	default: return true;
	}
}

/* A lock can block for good only if somebody can be stuck while holding it, and so on: what is left
 * when nothing more can be taken away. In most programs that is little. */
static void find_blocking(struct stuck *s)
{
	bool changed = true;

	vec_each (&s->c->events, i)
		if (event_may_block(ctp_at(s->c, i)))
			vec_push(&s->blocking[ctp_at(s->c, i)->thread], i);
	for (uint32_t round = 0; changed && round < ROUNDS; round++) {
		changed = false;
		for (uint32_t t = 0; t < s->c->threads.n; t++) {
			struct vec_u32 *v = &s->blocking[t];
			uint32_t n = 0;

			vec_each (v, i)
				if (may_stay_blocked(s, v->at[i]))
					v->at[n++] = v->at[i];
			changed |= n != v->n;
			v->n = n;
		}
	}
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		vec_each (&s->blocking[t], i)
			bitset_add(&s->viable, s->blocking[t].at[i]);
}

static void index_events(struct stuck *s)
{
	vec_each (&s->c->regions, i)
		if (s->c->regions.at[i].begin != CTP_NONE)
			vec_push(&s->regions, (struct keyed){s->c->regions.at[i].object, i});
	vec_each (&s->c->events, i) {
		const struct ctp_event *e = ctp_at(s->c, i);

		switch (e->kind) {
		case CTP_SIGNAL:
		case CTP_BROADCAST: vec_push(&s->signals, (struct keyed){e->object, i}); break;
		case CTP_WOKEN: vec_push(&s->wokens, (struct keyed){e->object, i}); break;
		case CTP_SEM_WAIT:
		case CTP_SEM_POST:
		case CTP_BARRIER_ENTER: vec_push(&s->counted, (struct keyed){e->object, i}); break;
		default: break;
		}
	}
	index_sort(&s->regions);
	index_sort(&s->signals);
	index_sort(&s->wokens);
	index_sort(&s->counted);
	find_blocking(s);
}

/* ---- is a state stuck? -------------------------------------------------------------------------
 */

static bool is_executed(const struct stuck *s, uint32_t e)
{
	uint32_t p = s->pos[ctp_at(s->c, e)->thread];

	return p == FINISHED || (is_event(p) && e < p);
}

static bool is_held(const struct stuck *s, const struct ctp_event *e)
{
	index_each(&s->regions, e->object, i)
	{
		const struct ctp_region *r = &s->c->regions.at[s->regions.at[i].at];

		if (excludes_event(r, e) && !r->foreign && is_executed(s, r->begin) &&
			(r->end == CTP_NONE || !is_executed(s, r->end)))
			return true;
	}
	return false;
}

static bool is_spent(const struct stuck *s, const struct ctp_event *e)
{
	const struct ctp_object *o = ctp_object(s->c, e->object);
	int64_t left = o ? o->initial : -1;

	if (left < 0)
		return false; /* not known */
	index_each(&s->counted, e->object, i)
	{
		uint32_t k = s->counted.at[i].at;

		if (is_executed(s, k))
			left += ctp_at(s->c, k)->kind == CTP_SEM_POST ? 1 : -1;
	}
	return left == 0;
}

static bool is_incomplete(const struct stuck *s, const struct ctp_event *e)
{
	const struct ctp_object *o = ctp_object(s->c, e->object);
	int64_t missing = o ? o->initial : -1;

	if (missing < 0)
		return false;
	index_each(&s->counted, e->object, i)
	{
		uint32_t k = s->counted.at[i].at;

		missing -= ctp_at(s->c, k)->round == e->round && is_executed(s, k);
	}
	return missing > 0;
}

/* Of the alternative that runs; UNSET if none is chosen yet. */
static uint32_t position_of(const struct stuck *s, uint32_t thread)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		if (ctp_group(s->c, t) == ctp_group(s->c, thread) && s->pos[t] != UNSET &&
			s->pos[t] != ABSENT)
			return s->pos[t];
	return UNSET;
}

static bool is_blocked(const struct stuck *s, uint32_t event)
{
	const struct ctp_event *e = ctp_at(s->c, event);

	switch (e->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK: return is_held(s, e);
	case CTP_JOIN: return is_event(position_of(s, e->other));
	case CTP_SEM_WAIT: return is_spent(s, e);
	case CTP_BARRIER_LEAVE: return is_incomplete(s, e);
	default: return true; /* a wait: the query's business */
	}
}

static bool is_unborn(const struct stuck *s, uint32_t t)
{
	const struct ctp_thread *th = &s->c->threads.at[t];
	uint32_t p = th->parent < s->c->threads.n ? s->pos[th->parent] : UNSET;

	return !th->alt && th->create != CTP_NONE &&
	       (p == UNBORN || (is_event(p) && p <= th->create));
}

/* Every position that is set is one that stays. */
static bool is_stuck(const struct stuck *s)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_thread *th = &s->c->threads.at[t];

		if (s->pos[t] == UNBORN ? !is_unborn(s, t)
					: is_event(s->pos[t]) && !is_blocked(s, s->pos[t]))
			return false;
		if ((is_event(s->pos[t]) || s->pos[t] == FINISHED) && th->create != CTP_NONE &&
			!th->alt && s->pos[ctp_at(s->c, th->create)->thread] != UNSET &&
			!is_executed(s, th->create))
			return false;
	}
	return true;
}

static uint32_t centre_priority(const struct ctp_event *e)
{
	switch (e->kind) {
	case CTP_WOKEN: return 4;
	case CTP_SEM_WAIT: return 3;
	case CTP_BARRIER_LEAVE: return 2;
	case CTP_JOIN: return 1;
	default: return 0;
	}
}

/* The state is this centre's, not that of another one in it. */
static bool is_centre(const struct stuck *s)
{
	uint32_t mine = centre_priority(ctp_at(s->c, s->centre));

	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		uint32_t p = s->pos[t], other;

		if (!is_event(p) || p == s->centre)
			continue;
		other = centre_priority(ctp_at(s->c, p));
		if (other > mine || (other == mine && mine > 1 && p < s->centre))
			return false;
	}
	return true;
}

/* Somebody needs what the centre's thread holds: else the join is only a bystander. */
static bool is_needed(const struct stuck *s)
{
	uint32_t me = ctp_at(s->c, s->centre)->thread;

	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_event *e = is_event(s->pos[t]) ? ctp_at(s->c, s->pos[t]) : NULL;

		if (!e || t == me)
			continue;
		if (e->kind == CTP_JOIN && ctp_group(s->c, e->other) == ctp_group(s->c, me))
			return true;
		if (e->kind != CTP_LOCK && e->kind != CTP_RDLOCK)
			continue;
		index_each(&s->regions, e->object, i)
		{
			const struct ctp_region *r = &s->c->regions.at[s->regions.at[i].at];

			if (r->thread == me && excludes_event(r, e) && r->begin < s->centre &&
				(r->end == CTP_NONE || r->end >= s->centre))
				return true;
		}
	}
	return false;
}

/* ---- the query of a state
 * ------------------------------------------------------------------------ */

struct consumer { /* a signal, and the wait of another thread that it ended */
	uint32_t signal, woken;
};
struct consumers {
	struct consumer at[4];
	uint32_t n;
};

static bool is_consumed(const struct consumers *cons, uint32_t signal)
{
	for (uint32_t i = 0; i < cons->n; i++)
		if (cons->at[i].signal == signal)
			return true;
	return false;
}

/* A signal with sleepers wakes one: no other came while the consumer slept. */
static void wakes_nobody_else(const struct stuck *s, struct query *q, const struct consumers *cons,
	const struct consumer *k)
{
	const struct ctp_event *woken = ctp_at(s->c, k->woken);

	index_each(&s->signals, woken->object, i)
	{
		uint32_t g = s->signals.at[i].at;

		if (!is_executed(s, g) || is_consumed(cons, g))
			continue;
		query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = g, .b = woken->other});
		query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = k->signal, .b = g});
		query_end_clause(q);
	}
}

static void add_state(struct stuck *s, const struct consumers *cons, bool lost)
{
	enum finding_kind kind = lost ? FINDING_LOST_WAKEUP : FINDING_DEADLOCK;
	const struct ctp *c = s->c;
	struct vec_u32 at = {0};
	struct candidate *k;
	bool pending = true;
	uint32_t cost = 0;

	if (!kind_wanted(s->kinds, kind))
		return;
	vec_push(&at, s->centre);
	for (uint32_t t = 0; t < c->threads.n; t++)
		if (is_event(s->pos[t]) && s->pos[t] != s->centre)
			vec_push(&at, s->pos[t]);
	k = candidates_add(s->cs, kind, SCHED_GOAL_STUCK, at.at, at.n);
	vec_each (&at, i) {
		query_at(&k->query, at.at[i]);
		cost += rank_distance(c, s->centre, at.at[i]);
		pending &= !!(ctp_at(c, at.at[i])->flags & CTP_PENDING);
	}
	for (uint32_t t = 0; t < c->threads.n; t++)
		if (s->pos[t] == FINISHED)
			query_run(&k->query, c->threads.at[t].end);
	for (uint32_t i = 0; i < cons->n; i++) {
		query_before(&k->query, ctp_at(c, cons->at[i].woken)->other, cons->at[i].signal);
		query_before(&k->query, cons->at[i].signal, cons->at[i].woken);
		wakes_nobody_else(s, &k->query, cons, &cons->at[i]);
	}
	/* every other signal came too early for each of the waits */
	vec_each (&at, w) {
		const struct ctp_event *e = ctp_at(c, at.at[w]);

		if (e->kind != CTP_WOKEN)
			continue;
		index_each(&s->signals, e->object, i)
		{
			uint32_t g = s->signals.at[i].at;

			if (is_executed(s, g) && !is_consumed(cons, g) &&
				ctp_at(c, g)->thread != e->thread)
				query_before(&k->query, g, e->other);
		}
	}
	k->v.certain = pending;
	k->cost = cost;
	k->group = group_of_list(c, kind, &s->centre, 1);
	k->v.title = lost ? title_of_object(c, kind, ctp_at(c, s->centre)->object)
			: stuck_title(c, at.at, at.n);
	vec_release(&at);
}

/* A signal that ended the wait in the recorded run, or came after it, and now comes too early. */
static bool is_lost(const struct stuck *s, const struct consumers *cons)
{
	const struct ctp_event *e = ctp_at(s->c, s->centre);

	if (e->kind != CTP_WOKEN)
		return false;
	index_each(&s->signals, e->object, i)
	{
		uint32_t g = s->signals.at[i].at;

		if (!is_consumed(cons, g) && is_executed(s, g) &&
			ctp_at(s->c, g)->thread != e->thread &&
			(e->flags & CTP_PENDING ||
				ctp_at(s->c, g)->rank > ctp_at(s->c, e->other)->rank))
			return true;
	}
	return false;
}

/* The signal cannot have come before the wait. */
static bool is_too_late(const struct stuck *s, uint32_t signal, const struct ctp_event *woken)
{
	return mhb_before(s->cs->mhb, woken->other, signal);
}

/* Signals and the other waits of their condition variables that may have got them. */
static void possible_consumers(
	const struct stuck *s, struct consumer *out, uint32_t *n, uint32_t max)
{
	*n = 0;
	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_event *e = is_event(s->pos[t]) ? ctp_at(s->c, s->pos[t]) : NULL;

		if (!e || e->kind != CTP_WOKEN)
			continue;
		index_each(&s->wokens, e->object, x)
		{
			uint32_t v = s->wokens.at[x].at;
			const struct ctp_event *w = ctp_at(s->c, v);

			if (!is_executed(s, v))
				continue;
			index_each(&s->signals, e->object, i)
			{
				uint32_t g = s->signals.at[i].at;

				if (*n == max)
					return;
				if (ctp_at(s->c, g)->kind == CTP_SIGNAL && is_executed(s, g) &&
					ctp_at(s->c, g)->thread != w->thread &&
					!mhb_before(s->cs->mhb, v, g) &&
					!mhb_before(s->cs->mhb, g, w->other))
					out[(*n)++] = (struct consumer){g, v};
			}
		}
	}
}

/* All signals that are not consumed can have come before every wait of the state. */
static bool signals_fit(const struct stuck *s, const struct consumers *cons)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_event *e = is_event(s->pos[t]) ? ctp_at(s->c, s->pos[t]) : NULL;

		if (!e || e->kind != CTP_WOKEN)
			continue;
		index_each(&s->signals, e->object, i)
		{
			uint32_t g = s->signals.at[i].at;

			if (!is_consumed(cons, g) && is_executed(s, g) && is_too_late(s, g, e))
				return false;
		}
	}
	return true;
}

static void offer_state(struct stuck *s)
{
	struct consumer all[CONSUMERS];
	struct consumers cons = {0};
	uint32_t n;

	if (s->states >= STATES) {
		s->cut = true;
		return;
	}
	if (signals_fit(s, &cons)) {
		s->states++;
		add_state(s, &cons, is_lost(s, &cons));
	}
	possible_consumers(s, all, &n, CONSUMERS);
	for (uint32_t i = 0; i < n && s->states < STATES; i++) {
		cons = (struct consumers){{all[i]}, 1};
		if (signals_fit(s, &cons)) {
			s->states++;
			add_state(s, &cons, is_lost(s, &cons));
		}
		for (uint32_t k = i + 1; k < n && s->states < STATES; k++) {
			if (all[k].signal == all[i].signal || all[k].woken == all[i].woken)
				continue;
			cons = (struct consumers){{all[i], all[k]}, 2};
			if (signals_fit(s, &cons)) {
				s->states++;
				add_state(s, &cons, is_lost(s, &cons));
			}
		}
	}
}

/* ---- the search around a centre ----------------------------------------------------------------
 */

/* As far as order and locks say, the thread can have that position beside those that are set. */
static bool goes_with(const struct stuck *s, uint32_t t, uint32_t p)
{
	for (uint32_t u = 0; u < s->c->threads.n; u++) {
		uint32_t q = s->pos[u];

		if (u == t || q == UNSET || q == UNBORN || q == ABSENT)
			continue;
		if (p == FINISHED
				? is_event(q) && mhb_before(s->cs->mhb, q, s->c->threads.at[t].end)
			: q == FINISHED ? mhb_before(s->cs->mhb, p, s->c->threads.at[u].end)
					: !mhb_co_enabled(s->cs->mhb, p, q))
			return false;
	}
	return true;
}

static bool spend_node(struct stuck *s)
{
	s->cs->seen++;
	if (s->nodes) {
		s->nodes--;
		return true;
	}
	s->cut = true;
	return false;
}

typedef void (*next_fn)(struct stuck *s);

static void try_position(struct stuck *s, uint32_t t, uint32_t p, next_fn next)
{
	if (!spend_node(s))
		return;
	if (p != UNBORN && p != ABSENT && !goes_with(s, t, p)) {
		s->cs->filtered++;
		return;
	}
	s->pos[t] = p;
	next(s);
	s->pos[t] = UNSET;
}

/* Blocking events of the thread, those near the centre in the observed order. */
static void try_events(struct stuck *s, uint32_t t, uint32_t from, uint32_t to, next_fn next)
{
	const struct vec_u32 *v = &s->blocking[t];
	uint32_t a = blocking_from(v, from), b = blocking_from(v, to), mid,
		 rank = ctp_at(s->c, s->centre)->rank;

	for (mid = a; mid < b && ctp_at(s->c, v->at[mid])->rank < rank; mid++)
		;
	if (mid > a + NEAR || b > mid + NEAR + 1)
		s->cut = true;
	for (uint32_t i = mid > a + NEAR ? mid - NEAR : a; i < MIN(b, mid + NEAR); i++)
		try_position(s, t, v->at[i], next);
	if (b > mid + NEAR)
		try_position(s, t, v->at[b - 1], next);
}

/* Of every thread one alternative has a position. */
static bool all_there(const struct stuck *s)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		if (position_of(s, t) == UNSET)
			return false;
	return true;
}

/* Everybody has to be stuck or gone. */
static void place_everybody(struct stuck *s)
{
	uint32_t t = 0;
	const struct ctp_thread *th;

	while (t < s->c->threads.n && s->pos[t] != UNSET)
		t++;
	if (t == s->c->threads.n) {
		if (all_there(s) && is_centre(s) && is_stuck(s))
			offer_state(s);
		return;
	}
	th = &s->c->threads.at[t];
	if (th->alt)
		try_position(s, t, ABSENT, place_everybody);
	if (position_of(s, t) != UNSET)
		return;
	if (ends_surely(s->c, t))
		try_position(s, t, FINISHED, place_everybody);
	if (th->create != CTP_NONE && !th->alt)
		try_position(s, t, UNBORN, place_everybody);
	try_events(s, t, th->first, th->first + th->n, place_everybody);
}

/* Whom the threads of the state wait for has to be stuck too. */
static void follow_waits(struct stuck *s)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_event *e = is_event(s->pos[t]) ? ctp_at(s->c, s->pos[t]) : NULL;

		if (!e)
			continue;
		if (e->kind == CTP_JOIN && position_of(s, e->other) == UNSET) {
			for (uint32_t i = 0; i < s->c->threads.n; i++) {
				const struct ctp_thread *u = &s->c->threads.at[i];

				if (ctp_group(s->c, i) == ctp_group(s->c, e->other))
					try_events(s, i, u->first, u->first + u->n, follow_waits);
			}
			return;
		}
		if ((e->kind == CTP_LOCK || e->kind == CTP_RDLOCK) && !is_held(s, e)) {
			index_each(&s->regions, e->object, i)
			{
				const struct ctp_region *r = &s->c->regions.at[s->regions.at[i].at];
				const struct ctp_thread *u = &s->c->threads.at[r->thread];

				if (!excludes_event(r, e) || s->pos[r->thread] != UNSET ||
					!region_may_stay(s, r))
					continue;
				if (holds_at_end(s->c, r))
					try_position(s, r->thread, FINISHED, follow_waits);
				try_events(s, r->thread, r->begin + 1,
					r->end == CTP_NONE ? u->first + u->n : r->end + 1,
					follow_waits);
			}
			return;
		}
	}
	if (is_centre(s) && is_needed(s) && is_stuck(s))
		offer_state(s);
}

static void search_centre(struct stuck *s, uint32_t centre)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		s->pos[t] = UNSET;
	s->centre = centre;
	s->nodes = NODES;
	s->states = 0;
	try_position(s, ctp_at(s->c, centre)->thread, centre,
		ctp_at(s->c, centre)->kind == CTP_JOIN ? follow_waits : place_everybody);
}

/* The first and the last of each place: a state at the end of the work is the likeliest. */
static void find_centres(struct stuck *s, struct vec_u32 *out)
{
	struct map left = {0};

	for (uint32_t pass = 0; pass < 2; pass++) {
		map_clear(&left);
		for (uint32_t n = s->c->events.n; n--;) {
			uint32_t i = pass ? s->c->events.n - 1 - n : n;
			uint64_t *count;

			if (!bitset_has(&s->viable, i) || !centre_priority(ctp_at(s->c, i)))
				continue;
			count = map_put(&left, ctp_places_hash(s->c, &i, 1));
			if (*count < CENTRES / 2) {
				++*count;
				vec_push(out, i);
			} else {
				s->cut = true;
			}
		}
	}
	map_release(&left);
	vec_u32_sort(out, 0);
}

void stuck_states(struct candidates *cs, uint32_t kinds)
{
	struct stuck s = {.cs = cs, .c = cs->c, .kinds = kinds};
	struct vec_u32 centres = {0};
	uint32_t n = cs->c->threads.n;

	if (n > MAX_THREADS) {
		candidates_limit(cs,
			"deadlocks of more than locks were not looked for: %u threads "
			"are more than %d",
			n, MAX_THREADS);
		return;
	}
	index_events(&s);
	find_centres(&s, &centres);
	vec_each (&centres, i) {
		if (i && centres.at[i] == centres.at[i - 1])
			continue;
		if (cs->c->sync && cs->c->sync->h.foreign &&
			ctp_at(cs->c, centres.at[i])->kind != CTP_JOIN)
			candidates_limit(cs,
				"code that is not recorded may end waits: deadlocks "
				"with condition variables, semaphores and barriers were not "
				"looked for");
		else
			search_centre(&s, centres.at[i]);
	}
	if (s.cut)
		candidates_limit(cs, "waits that happened many times: some of the states around "
				     "them were not looked at for deadlocks");
	vec_release(&centres);
	for (uint32_t t = 0; t < n; t++)
		vec_release(&s.blocking[t]);
	bitset_release(&s.viable);
	vec_release(&s.regions);
	vec_release(&s.signals);
	vec_release(&s.wokens);
	vec_release(&s.counted);
}
