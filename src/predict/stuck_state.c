/* Which states are stuck: what can be part of one, and whether all of its threads must wait. */
#include "predict/stuck_internal.h"

#include "base/hash.h"
#include "trace/trace.h"

#include <stdlib.h>

/* Iterations of the fixed point of find_blocking(). */
enum { ROUNDS = 32 };

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

bool stuck_thread_ends(const struct ctp *c, uint32_t t)
{
	return ctp_group(c, t) && c->threads.at[t].end != CTP_NONE && !c->threads.at[t].cut;
}

/* ---- what can be part of a stuck state ------------------------------------------------------ */

uint32_t stuck_blocking_from(const struct vec_u32 *v, uint32_t e)
{
	return lower_bound(0, v->n, i, v->at[i], e);
}

bool stuck_holds_at_end(const struct ctp *c, const struct ctp_region *r)
{
	return r->end == CTP_NONE && stuck_thread_ends(c, r->thread);
}

bool stuck_section_may_stay(const struct stuck *s, const struct ctp_region *r)
{
	const struct vec_u32 *v = &s->blocking[r->thread];
	uint32_t i;

	if (r->begin == CTP_NONE || r->foreign)
		return false;
	if (stuck_holds_at_end(s->c, r))
		return true;
	vec_each (&s->loops[r->thread], k) {
		uint32_t at = s->waitings.at.at[s->loops[r->thread].at[k]].at;

		if (at > r->begin && (r->end == CTP_NONE || at <= r->end))
			return true;
	}
	i = stuck_blocking_from(v, r->begin + 1);
	return i < v->n && (r->end == CTP_NONE || v->at[i] <= r->end);
}

bool stuck_excludes(const struct ctp_region *r, const struct ctp_event *e)
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

			if (stuck_excludes(r, e) && stuck_section_may_stay(s, r))
				return true;
		}
		return false;
	case CTP_JOIN:
		for (uint32_t t = 0; t < s->c->threads.n; t++)
			if (ctp_group(s->c, t) == ctp_group(s->c, ctp_peer(e)) &&
				(s->blocking[t].n || s->loops[t].n))
				return true;
		return false;
	default: return true;
	}
}

/* A lock can block forever only if a thread can be stuck while it holds the lock: the greatest
 * fixed point of this rule. Few events remain in most programs. */
static void find_blocking(struct stuck *s)
{
	bool changed = true;

	vec_each (&s->c->events, i)
		if ((event_may_block(ctp_at(s->c, i)) || bitset_has(&s->reads, i)) &&
			!bitset_has(&s->copies, i))
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

/* Hash of the event without the values that it read: equal for the same way of a thread. */
static uint64_t hash_event(const struct ctp *c, const struct ctp_event *e)
{
	uint64_t h = hash_mix(hash_mix(e->kind, e->func), e->insn);

	h = hash_mix(hash_mix(h, e->object), e->point);
	h = hash_mix(h, ctp_has_mutex(e->kind) ? ctp_mutex(e) : 0);
	h = hash_mix(h, ctp_has_round(e->kind) ? ctp_round(e) : 0);
	h = hash_mix(h, ctp_has_peer(e->kind) && ctp_peer(e) < c->threads.n
				? ctp_group(c, ctp_peer(e))
				: 0);
	h = hash_mix(h, ctp_recorded(e));
	for (uint32_t i = e->first; i < e->first + e->n; i++)
		h = hash_mix(h, c->accesses.at[i].cell);
	return h;
}

/* Alternatives of a thread with the same beginning stand before the same events: only those of the
 * first alternative are positions. */
static void find_copies(struct stuck *s)
{
	struct map seen = {0};

	vec_resize(&s->ways, s->c->events.n);
	vec_each (&s->c->threads, t) {
		const struct ctp_thread *th = &s->c->threads.at[t];
		uint64_t h = ctp_group(s->c, t), *first;

		for (uint32_t e = th->first; e < th->first + th->n; e++) {
			const struct ctp_event *ev = ctp_at(s->c, e);

			s->ways.at[e] = h;
			/* a wake-up and the end of a timed wait are two ways from one position */
			first = map_put(&seen,
				hash_mix(h, hash_mix(hash_mix(ev->kind, ev->func), ev->insn)));
			if (*first)
				bitset_add(&s->copies, e);
			*first = 1;
			h = hash_mix(h, hash_event(s->c, ev));
		}
	}
	map_release(&seen);
}

/* Hash of the way to the loop and of its round. */
static uint64_t hash_loop(const struct stuck *s, const struct waiting *w)
{
	const struct ctp_event *last = ctp_at(s->c, w->last);
	uint64_t h = s->ways.at[w->at];

	for (uint32_t e = w->at; e < w->last; e++)
		h = hash_mix(h, hash_event(s->c, ctp_at(s->c, e)));
	/* whether the last decision ended the loop does not matter: the condition is that it stays
	 */
	return hash_mix(hash_mix(h, last->func), last->insn);
}

static void find_loops(struct stuck *s)
{
	struct map seen = {0};
	struct spins *spins = s->c->trace ? spins_new(trace_program(s->c->trace)) : NULL;

	if (!spins)
		return;
	waitings_find(s->c, spins, &s->waitings);
	spins_free(spins);
	vec_each (&s->waitings.at, i) {
		uint32_t at = s->waitings.at.at[i].at;
		uint64_t *first = map_put(&seen, hash_loop(s, &s->waitings.at.at[i]));

		if (!*first)
			vec_push(&s->loops[ctp_at(s->c, at)->thread], i);
		*first = 1;
	}
	map_release(&seen);
}

static void find_reads(struct stuck *s)
{
	transfers_init(&s->transfers, s->c);
	vec_each (&s->transfers.at, i)
		if (transfers_settled(&s->transfers, s->transfers.at.at[i]))
			bitset_add(&s->reads, s->transfers.at.at[i]);
}

void stuck_index_events(struct stuck *s)
{
	vec_each (&s->c->regions, i)
		if (s->c->regions.at[i].begin != CTP_NONE)
			vec_push(&s->regions, (struct keyed){s->c->regions.at[i].object, i});
	vec_each (&s->c->events, i) {
		const struct ctp_event *e = ctp_at(s->c, i);

		switch (e->kind) {
		case CTP_SIGNAL:
		case CTP_BROADCAST: vec_push(&s->signals, (struct keyed){e->object, i}); break;
		case CTP_SEM_WAIT:
		case CTP_SEM_POST:
		case CTP_BARRIER_ENTER: vec_push(&s->counted, (struct keyed){e->object, i}); break;
		case CTP_CREATE:
			if (ctp_peer(e) != CTP_NONE)
				vec_push(&s->creates,
					(struct keyed){ctp_group(s->c, ctp_peer(e)), i});
			break;
		default: break;
		}
	}
	index_sort(&s->regions);
	index_sort(&s->signals);
	index_sort(&s->creates);
	index_sort(&s->counted);
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		if (s->c->threads.at[t].alt) {
			bitset_add(&s->alternatives, t);
			bitset_add(&s->alternatives, ctp_group(s->c, t));
		}
	find_copies(s);
	find_reads(s);
	find_loops(s);
	find_blocking(s);
}

/* ---- is a state stuck? ---------------------------------------------------------------------- */

bool stuck_executed(const struct stuck *s, uint32_t e)
{
	uint32_t p = s->pos[ctp_at(s->c, e)->thread];

	return p == FINISHED || (stuck_is_event(p) && e < p);
}

bool stuck_is_held(const struct stuck *s, const struct ctp_event *e)
{
	index_each(&s->regions, e->object, i)
	{
		const struct ctp_region *r = &s->c->regions.at[s->regions.at[i].at];

		if (stuck_excludes(r, e) && !r->foreign && stuck_executed(s, r->begin) &&
			(r->end == CTP_NONE || !stuck_executed(s, r->end)))
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

		if (stuck_executed(s, k))
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

		missing -= ctp_round(ctp_at(s->c, k)) == ctp_round(e) && stuck_executed(s, k);
	}
	return missing > 0;
}

uint32_t stuck_position_of(const struct stuck *s, uint32_t thread)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		if (ctp_group(s->c, t) == ctp_group(s->c, thread) && s->pos[t] != UNSET &&
			s->pos[t] != ABSENT)
			return s->pos[t];
	return UNSET;
}

/* All tries of the round fail; the query decides about the values that it reads. */
static bool loop_stays(const struct stuck *s, const struct waiting *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct ctp_event *e = ctp_at(s->c, s->waitings.tries.at[w->first + i]);
		bool semaphore = e->kind == CTP_SEM_FAIL || e->kind == CTP_SEM_WAIT;

		if (semaphore ? !is_spent(s, e) : !stuck_is_held(s, e))
			return false;
	}
	return true;
}

/* The bytes that the read waits for were not written. */
static bool has_no_data(const struct stuck *s, uint32_t read)
{
	struct vec_u32 from = {0};
	bool none = true;

	transfers_source(&s->transfers, read, &from);
	vec_each (&from, i)
		none &= !stuck_executed(s, from.at[i]);
	vec_release(&from);
	return none;
}

static bool is_blocked(const struct stuck *s, uint32_t thread)
{
	const struct ctp_event *e = ctp_at(s->c, s->pos[thread]);

	if (s->loop[thread] != UNSET)
		return loop_stays(s, &s->waitings.at.at[s->loop[thread]]);

	switch (e->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK: return stuck_is_held(s, e);
	case CTP_JOIN: return stuck_is_event(stuck_position_of(s, ctp_peer(e)));
	case CTP_SEM_WAIT: return is_spent(s, e);
	case CTP_BARRIER_LEAVE: return is_incomplete(s, e);
	case CTP_HIDDEN: return has_no_data(s, s->pos[thread]);
	default: return true; /* a wait: the query decides */
	}
}

/* The thread was created: by any alternative of its creator. */
static bool was_created(const struct stuck *s, uint32_t t)
{
	index_each(&s->creates, ctp_group(s->c, t),
		i) if (stuck_executed(s, s->creates.at[i].at)) return true;
	return false;
}

/* The position of the thread's creator is not known, or the thread has none. */
static bool creator_is_open(const struct stuck *s, uint32_t t)
{
	uint32_t parent = s->c->threads.at[t].parent;

	return s->c->threads.at[t].create == CTP_NONE || parent >= s->c->threads.n ||
	       stuck_position_of(s, parent) == UNSET;
}

bool stuck_is_final(const struct stuck *s)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		uint32_t p = s->pos[t];

		if (p == UNBORN && (creator_is_open(s, t) || was_created(s, t)))
			return false;
		if (stuck_is_event(p) && !is_blocked(s, t))
			return false;
		if ((stuck_is_event(p) || p == FINISHED) && !creator_is_open(s, t) &&
			!was_created(s, t))
			return false;
	}
	return true;
}

uint32_t stuck_priority(const struct ctp_event *e)
{
	switch (e->kind) {
	case CTP_WOKEN: return 4;
	case CTP_SEM_WAIT:
	case CTP_HIDDEN: return 3;
	case CTP_BARRIER_LEAVE: return 2;
	case CTP_JOIN: return 1;
	default: return 0;
	}
}

static uint32_t position_priority(const struct stuck *s, uint32_t thread)
{
	return s->loop[thread] != UNSET ? STUCK_LOOP : stuck_priority(ctp_at(s->c, s->pos[thread]));
}

bool stuck_is_centre(const struct stuck *s)
{
	uint32_t mine = position_priority(s, ctp_at(s->c, s->centre)->thread);

	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		uint32_t p = s->pos[t], other;

		if (!stuck_is_event(p) || p == s->centre)
			continue;
		other = position_priority(s, t);
		if (other > mine || (other == mine && mine > 1 && p < s->centre))
			return false;
	}
	return true;
}

bool stuck_is_needed(const struct stuck *s)
{
	uint32_t me = ctp_at(s->c, s->centre)->thread;

	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_event *e =
			stuck_is_event(s->pos[t]) ? ctp_at(s->c, s->pos[t]) : NULL;

		if (!e || t == me)
			continue;
		if (e->kind == CTP_JOIN && ctp_group(s->c, ctp_peer(e)) == ctp_group(s->c, me))
			return true;
		if (e->kind != CTP_LOCK && e->kind != CTP_RDLOCK)
			continue;
		index_each(&s->regions, e->object, i)
		{
			const struct ctp_region *r = &s->c->regions.at[s->regions.at[i].at];

			if (r->thread == me && stuck_excludes(r, e) && r->begin < s->centre &&
				(r->end == CTP_NONE || r->end >= s->centre))
				return true;
		}
	}
	return false;
}
