/*
 * Misuse of synchronization objects: unlock of a lock that no thread or another thread holds, a
 * recursive lock that is left locked, and objects that are destroyed while they are in use.
 *
 * The order of a thread's own operations is fixed, so a misuse by one thread is in the recorded run
 * already. Only if one thread unlocks what another one locked does the schedule matter.
 */
#include "predict/candidates.h"

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/schedule.h"
#include "trace/check.h"

#include <stdlib.h>

static void query_not_run(struct query *q, uint32_t e)
{
	query_add(q, (struct atom){.kind = ATOM_RUN, .negated = true, .a = e});
	query_end_clause(q);
}

static struct candidate *add_candidate(struct candidates *cs, enum fault kind, uint32_t at,
	uint32_t before, uint64_t object)
{
	uint32_t keys[2] = {at, before},
		 destroy = ctp_at(cs->c, at)->kind == CTP_DESTROY ? at : before;
	struct candidate *k =
		candidates_add(cs, kind, SCHED_GOAL_NONE, keys, before == CTP_NONE ? 1 : 2);

	k->group = group_of_list(cs->c, kind, keys, k->v.nkeys);
	k->cost = before == CTP_NONE ? 0 : rank_distance(cs->c, at, before);
	if (kind == FAULT_DESTROY) { /* one bug, whichever thread still uses the object */
		struct strbuf b = {0};

		k->group = group_of_list(cs->c, kind, &destroy, 1);
		ctp_name_object(cs->c, object, &b);
		strbuf_addf(&b, " %s", fault_words[kind].title);
		k->v.title = strbuf_detach(&b);
		return k;
	}
	k->v.title = title_of_object(cs->c, kind, object);
	return k;
}

/* ---- unlocking ------------------------------------------------------------------------------ */

static bool is_lock(const struct ctp *c, uint64_t object)
{
	const struct ctp_object *o = ctp_object(c, object);

	return o && (o->kind == CHECK_MUTEX || o->kind == CHECK_RWLOCK || o->kind == CHECK_SPIN);
}

/* A thread that is cancelled in a wait for a condition holds the mutex again when its handlers run;
 * no event records that. */
static bool cancelled_in_wait(const struct ctp *c, uint32_t unlock)
{
	uint64_t object = ctp_at(c, unlock)->object;

	for (uint32_t e = ctp_pred(c, unlock); e != CTP_NONE; e = ctp_pred(c, e)) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_WAIT && ctp_mutex(ev) == object)
			return true;
		if (ev->region != CTP_NONE && c->regions.at[ev->region].object == object)
			return false;
	}
	return false;
}

static void find_unlocks(struct candidates *cs, uint32_t kinds)
{
	vec_each (&cs->c->regions, i) {
		const struct ctp_region *r = &cs->c->regions.at[i];
		struct candidate *k;

		if (r->end == CTP_NONE || !is_lock(cs->c, r->object))
			continue;
		cs->seen++;
		if (r->begin == CTP_NONE) {
			if (kind_wanted(kinds, FAULT_DOUBLE_UNLOCK) &&
				!(ctp_at(cs->c, r->end)->flags & CTP_ERRORCHECK) &&
				!cancelled_in_wait(cs->c, r->end))
				add_candidate(
					cs, FAULT_DOUBLE_UNLOCK, r->end, CTP_NONE, r->object)
					->v.certain = true;
			continue;
		}
		if (!r->foreign)
			continue;
		if (kind_wanted(kinds, FAULT_FOREIGN_UNLOCK))
			add_candidate(cs, FAULT_FOREIGN_UNLOCK, r->end, r->begin, r->object)
				->v.certain = true;
		/* the other thread may unlock before the lock is taken */
		if (kind_wanted(kinds, FAULT_DOUBLE_UNLOCK) &&
			!(ctp_pred(cs->c, r->end) != CTP_NONE &&
				mhb_before(cs->mhb, r->begin, ctp_pred(cs->c, r->end)))) {
			k = add_candidate(cs, FAULT_DOUBLE_UNLOCK, r->end, r->begin, r->object);
			query_at(&k->query, r->end);
			query_not_run(&k->query, r->begin);
		}
	}
}

static void find_left_locked(struct candidates *cs)
{
	vec_each (&cs->c->regions, i) {
		const struct ctp_region *r = &cs->c->regions.at[i];
		const struct ctp_object *o = ctp_object(cs->c, r->object);
		const struct ctp_thread *t = &cs->c->threads.at[r->thread];

		if (!o || o->kind != CHECK_MUTEX || o->type != 1)
			continue;
		cs->seen++;
		if (r->end == CTP_NONE && r->begin != CTP_NONE && t->end != CTP_NONE && !t->cut)
			add_candidate(cs, FAULT_RECURSION, r->begin, t->end, r->object)
				->v.certain = true;
	}
}

/* ---- destroying ----------------------------------------------------------------------------- */

struct object_event {
	uint64_t object;
	uint32_t event, rank;
};

static int by_object(const void *x, const void *y)
{
	const struct object_event *a = x, *b = y;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static bool is_use(enum ctp_kind k)
{
	switch (k) {
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_TRYFAIL:
	case CTP_WAIT:
	case CTP_WOKEN: /* takes its mutex */
	case CTP_SIGNAL:
	case CTP_BROADCAST:
	case CTP_SEM_WAIT:
	case CTP_SEM_FAIL:
	case CTP_SEM_POST:
	case CTP_BARRIER_ENTER: return true;
	default: return false;
	}
}

/* The event that ends the use: the UNLOCK of a lock, the WOKEN of a wait; CTP_NONE. */
static uint32_t end_of_use(const struct ctp *c, uint32_t use)
{
	const struct ctp_event *e = ctp_at(c, use);
	const struct ctp_thread *t = &c->threads.at[e->thread];

	switch (e->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_WOKEN: return e->region == CTP_NONE ? CTP_NONE : c->regions.at[e->region].end;
	case CTP_WAIT:
	case CTP_BARRIER_ENTER:
		for (uint32_t i = use + 1; i < t->first + t->n && i < use + 8; i++) {
			const struct ctp_event *n = ctp_at(c, i);

			if (n->object == e->object &&
				(n->kind == CTP_WOKEN || n->kind == CTP_TIMEOUT ||
					n->kind == CTP_BARRIER_LEAVE))
				return i;
		}
		return CTP_NONE;
	default: return CTP_NONE;
	}
}

/* The use lasts until `end`, or to the end of the run: a lock that is not unlocked. */
static bool is_lasting(const struct ctp *c, uint32_t use, uint32_t end)
{
	switch (ctp_at(c, use)->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_WOKEN: return ctp_at(c, use)->region != CTP_NONE;
	case CTP_WAIT:
	case CTP_BARRIER_ENTER: return end != CTP_NONE;
	default: return false;
	}
}

/* A barrier may be destroyed as soon as all threads have entered: one must be missing. */
static void query_round_incomplete(struct query *q, const struct ctp *c,
	const struct object_event *at, uint32_t n, uint32_t use)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct ctp_event *e = ctp_at(c, at[i].event);

		if (e->kind == CTP_BARRIER_ENTER && ctp_round(e) == ctp_round(ctp_at(c, use)))
			query_add(q,
				(struct atom){.kind = ATOM_RUN, .negated = true, .a = at[i].event});
	}
	query_end_clause(q);
}

/* One lifetime of an object: its uses in the observed order, and its DESTROY d. */
static void check_life(struct candidates *cs, struct map *tries, const struct object_event *at,
	uint32_t n, uint32_t d)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t use = at[i].event, end;
		struct candidate *k;

		if (!is_use(ctp_at(cs->c, use)->kind) ||
			ctp_at(cs->c, use)->thread == ctp_at(cs->c, d)->thread)
			continue;
		cs->seen += 2;
		if ((*map_put(tries, ctp_places_hash(cs->c, (uint32_t[]){d, use}, 2)))++ >
			GROUP_TRIES) {
			candidates_limit(cs,
				"of objects that were used many times before they "
				"were destroyed, %d uses each were checked",
				GROUP_TRIES);
			continue;
		}
		end = end_of_use(cs->c, use);
		if (is_lasting(cs->c, use, end) && !mhb_before(cs->mhb, d, use) &&
			!(end != CTP_NONE && mhb_before(cs->mhb, end, d))) {
			k = add_candidate(cs, FAULT_DESTROY, d, use, ctp_at(cs->c, d)->object);
			query_run(&k->query, use);
			if (end != CTP_NONE)
				query_not_run(&k->query, end);
			query_at(&k->query, d);
			if (ctp_at(cs->c, use)->kind == CTP_BARRIER_ENTER)
				query_round_incomplete(&k->query, cs->c, at, n, use);
		} else {
			cs->filtered++;
		}
		if (!mhb_before(cs->mhb, use, d)) {
			k = add_candidate(cs, FAULT_DESTROY, use, d, ctp_at(cs->c, d)->object);
			query_run(&k->query, d);
			query_at(&k->query, use);
		} else {
			cs->filtered++;
		}
	}
}

static void find_destroys(struct candidates *cs)
{
	VEC(struct object_event) at = {0};
	struct map tries = {0};
	const struct ctp *c = cs->c;

	vec_each (&c->events, i) {
		const struct ctp_event *e = ctp_at(c, i);

		if (is_use(e->kind) || e->kind == CTP_INIT || e->kind == CTP_DESTROY)
			vec_push(&at,
				(struct object_event){
					e->kind == CTP_WOKEN ? ctp_mutex(e) : e->object, i, e->rank});
	}
	if (at.n)
		qsort(at.at, at.n, sizeof *at.at, by_object);
	for (uint32_t i = 0, from = 0; i < at.n; i++) {
		uint32_t to = i + 1;

		if (i && at.at[i].object != at.at[i - 1].object)
			from = i;
		if (ctp_at(c, at.at[i].event)->kind == CTP_INIT)
			from = i + 1;
		if (ctp_at(c, at.at[i].event)->kind != CTP_DESTROY)
			continue;
		while (to < at.n && at.at[to].object == at.at[i].object &&
			ctp_at(c, at.at[to].event)->kind != CTP_INIT &&
			ctp_at(c, at.at[to].event)->kind != CTP_DESTROY)
			to++;
		check_life(cs, &tries, &at.at[from], to - from, at.at[i].event);
	}
	vec_release(&at);
	map_release(&tries);
}

void prop_locks(struct candidates *cs, uint32_t kinds)
{
	find_unlocks(cs, kinds);
	if (kind_wanted(kinds, FAULT_RECURSION))
		find_left_locked(cs);
	if (kind_wanted(kinds, FAULT_DESTROY))
		find_destroys(cs);
}
