/* The enumeration of stuck states around each centre. */
#include "predict/stuck_internal.h"

#include "base/base.h"
#include "ctp/ctp_names.h"
#include "trace/collect.h"

#include <assert.h>
#include <string.h>

enum {
	CENTRES = 64,    /* of one place, the first and the last */
	NODES = 1 << 14, /* of the search around one centre */
	NEAR = 16,       /* positions of a thread that are tried, on each side of the centre */
	SMALL = 2000,    /* events of a program for which the limits are: */
	SMALL_NODES = 1 << 17,
	SMALL_NEAR = 64,
};

/* Must-happen-before and locks do not exclude the position together with those that are set. */
static bool goes_with(const struct stuck *s, uint32_t t, uint32_t p)
{
	for (uint32_t u = 0; u < s->c->threads.n; u++) {
		uint32_t q = s->pos[u];

		if (u == t || q == UNSET || q == UNBORN || q == ABSENT)
			continue;
		if (p == FINISHED ? stuck_is_event(q) &&
					    mhb_before(s->cs->mhb, q, s->c->threads.at[t].end)
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
	assert(s->pos[t] == UNSET && (!stuck_is_event(p) || ctp_at(s->c, p)->thread == t));
	s->pos[t] = p;
	next(s);
	s->pos[t] = UNSET;
}

static void try_loop(struct stuck *s, uint32_t t, uint32_t loop, next_fn next)
{
	s->loop[t] = loop;
	try_position(s, t, s->waitings.at.at[loop].at, next);
	s->loop[t] = UNSET;
}

/* Tries the blocking events of the thread that are near the centre in the observed order. */
static void try_events(struct stuck *s, uint32_t t, uint32_t from, uint32_t to, next_fn next)
{
	const struct vec_u32 *v = &s->blocking[t];
	uint32_t a = stuck_blocking_from(v, from), b = stuck_blocking_from(v, to), mid,
		 rank = ctp_at(s->c, s->centre)->rank,
		 near = s->c->events.n <= SMALL ? SMALL_NEAR : NEAR;

	for (mid = a; mid < b && ctp_at(s->c, v->at[mid])->rank < rank; mid++)
		;
	if (mid > a + near || b > mid + near + 1)
		s->cut = true;
	for (uint32_t i = mid > a + near ? mid - near : a; i < MIN(b, mid + near); i++)
		try_position(s, t, v->at[i], next);
	if (b > mid + near)
		try_position(s, t, v->at[b - 1], next);
}

/* Of every thread one alternative has a position. */
static bool all_placed(const struct stuck *s)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		if (stuck_position_of(s, t) == UNSET)
			return false;
	return true;
}

/* Gives every thread a position: blocked, finished, or not created. */
static void place_all_threads(struct stuck *s)
{
	uint32_t t = 0;
	const struct ctp_thread *th;

	while (t < s->c->threads.n && s->pos[t] != UNSET)
		t++;
	if (t == s->c->threads.n) {
		if (all_placed(s) && stuck_is_centre(s) && stuck_is_final(s))
			stuck_offer_state(s);
		return;
	}
	th = &s->c->threads.at[t];
	if (bitset_has(&s->alternatives, t))
		try_position(s, t, ABSENT, place_all_threads);
	if (stuck_position_of(s, t) != UNSET)
		return;
	if (stuck_thread_ends(s->c, t))
		try_position(s, t, FINISHED, place_all_threads);
	if (th->create != CTP_NONE && !th->alt)
		try_position(s, t, UNBORN, place_all_threads);
	vec_each (&s->loops[t], i)
		try_loop(s, t, s->loops[t].at[i], place_all_threads);
	try_events(s, t, th->first, th->first + th->n, place_all_threads);
}

/* Gives positions to the threads that threads of the state wait for. */
static void follow_waits(struct stuck *s)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_event *e =
			stuck_is_event(s->pos[t]) ? ctp_at(s->c, s->pos[t]) : NULL;

		if (!e)
			continue;
		if (e->kind == CTP_JOIN && stuck_position_of(s, ctp_peer(e)) == UNSET) {
			for (uint32_t i = 0; i < s->c->threads.n; i++) {
				const struct ctp_thread *u = &s->c->threads.at[i];

				if (ctp_group(s->c, i) == ctp_group(s->c, ctp_peer(e)))
					try_events(s, i, u->first, u->first + u->n, follow_waits);
			}
			return;
		}
		if ((e->kind == CTP_LOCK || e->kind == CTP_RDLOCK) && !stuck_is_held(s, e)) {
			index_each(&s->regions, e->object, i)
			{
				const struct ctp_region *r = &s->c->regions.at[s->regions.at[i].at];
				const struct ctp_thread *u = &s->c->threads.at[r->thread];

				if (!stuck_excludes(r, e) || s->pos[r->thread] != UNSET ||
					!stuck_section_may_stay(s, r))
					continue;
				if (stuck_holds_at_end(s->c, r))
					try_position(s, r->thread, FINISHED, follow_waits);
				try_events(s, r->thread, r->begin + 1,
					r->end == CTP_NONE ? u->first + u->n : r->end + 1,
					follow_waits);
			}
			return;
		}
	}
	if (stuck_is_centre(s) && stuck_is_needed(s) && stuck_is_final(s))
		stuck_offer_state(s);
}

static void start_search(struct stuck *s, uint32_t centre)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		s->pos[t] = s->loop[t] = UNSET;
	s->centre = centre;
	s->nodes = s->c->events.n <= SMALL ? SMALL_NODES : NODES;
	s->states = 0;
}

static void search_centre(struct stuck *s, uint32_t centre)
{
	start_search(s, centre);
	try_position(s, ctp_at(s->c, centre)->thread, centre,
		ctp_at(s->c, centre)->kind == CTP_JOIN ? follow_waits : place_all_threads);
}

static void search_loop(struct stuck *s, uint32_t loop)
{
	uint32_t at = s->waitings.at.at[loop].at;

	start_search(s, at);
	try_loop(s, ctp_at(s->c, at)->thread, loop, place_all_threads);
}

/* The first and the last instances of each place: a state at the end of the run is the likeliest */
static void find_centres(struct stuck *s, struct vec_u32 *out)
{
	struct map left = {0};

	for (uint32_t pass = 0; pass < 2; pass++) {
		map_clear(&left);
		for (uint32_t n = s->c->events.n; n--;) {
			uint32_t i = pass ? s->c->events.n - 1 - n : n;
			uint64_t *count;

			if (!bitset_has(&s->viable, i) || !stuck_priority(ctp_at(s->c, i)))
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

/* Only recorded code can end the waits of a state. */
static bool knows_all_code(struct stuck *s)
{
	if (!s->c->sync || !s->c->sync->h.foreign)
		return true;
	candidates_limit(s->cs, "code that is not recorded may end waits: deadlocks with condition "
				"variables, semaphores and barriers, and hangs in loops, were not "
				"checked");
	return false;
}

static void limit_loop(struct stuck *s, uint32_t event)
{
	struct ctp_source at = ctp_source_of(s->c, event);
	const char *slash = at.file ? strrchr(at.file, '/') : NULL;

	candidates_limit(s->cs,
		"the rounds of a loop that waits, at %s:%u, cannot be told apart: hangs "
		"in it were not checked",
		slash     ? slash + 1
		: at.file ? at.file
			  : "?",
		at.line);
}

void stuck_states(struct candidates *cs, uint32_t kinds)
{
	struct stuck s = {.cs = cs, .c = cs->c, .kinds = kinds};
	struct vec_u32 centres = {0};
	uint32_t n = cs->c->threads.n;

	if (n > MAX_THREADS) {
		candidates_limit(cs,
			"deadlocks with condition variables, semaphores, barriers and joins were "
			"not checked: %u threads are more than %d",
			n, MAX_THREADS);
		return;
	}
	stuck_index_events(&s);
	find_centres(&s, &centres);
	vec_each (&centres, i) {
		if (i && centres.at[i] == centres.at[i - 1])
			continue;
		if (ctp_at(cs->c, centres.at[i])->kind == CTP_JOIN || knows_all_code(&s))
			search_centre(&s, centres.at[i]);
	}
	for (uint32_t t = 0; t < n && kind_wanted(kinds, FAULT_HANG); t++)
		vec_each (&s.loops[t], i)
			if (knows_all_code(&s))
				search_loop(&s, s.loops[t].at[i]);
	if (s.cut)
		candidates_limit(cs, "waits with many instances: some of the states around them "
				     "were not checked for deadlocks");
	if (kind_wanted(kinds, FAULT_HANG))
		vec_each (&s.waitings.unclear, i)
			limit_loop(&s, s.waitings.unclear.at[i]);
	vec_release(&centres);
	for (uint32_t t = 0; t < n; t++) {
		vec_release(&s.blocking[t]);
		vec_release(&s.loops[t]);
	}
	waitings_release(&s.waitings);
	transfers_release(&s.transfers);
	bitset_release(&s.reads);
	bitset_release(&s.viable);
	vec_release(&s.regions);
	vec_release(&s.signals);
	vec_release(&s.creates);
	bitset_release(&s.alternatives);
	bitset_release(&s.copies);
	vec_release(&s.ways);
	vec_release(&s.counted);
}
