/*
 * Decisions that another schedule changes (paper 002, §3): a thread stands before a guard while its
 * condition is false, or a try for a lock has the other outcome. Guards are conditional branches
 * and switches, pointers and indices (which data is accessed), function pointers (which function is
 * called) and divisors (whether the program continues).
 *
 * One source location is one group, and one report (branch.h). Where the flip itself can be a
 * failure (an index outside of its block, a null pointer), all instances are asked for the failure
 * before one is asked for any other value.
 */
#include "predict/branch_internal.h"

#include "log/schedule.h"

enum {
	LOCATION_TRIES = 20000, /* candidates of one location */
	PLAIN = 1 << 20, /* extra cost of a flip that is no failure, where another may be one */
	NULL_END = 4096,
};

/* ---- candidates ------------------------------------------------------------------------------ */

struct candidate *branching_add(
	struct branching *b, uint32_t event, uint32_t other, uint32_t cost)
{
	uint64_t group = branch_place(&b->places, event), *n = map_put(&b->tries, group);
	uint32_t keys[2] = {event, other};
	struct candidate *k;

	if (*n >= LOCATION_TRIES) {
		candidates_limit(b->cs,
			"of branches with many instances, %d queries each were "
			"asked",
			LOCATION_TRIES);
		return NULL;
	}
	++*n;
	k = candidates_add(b->cs, FAULT_BRANCH, SCHED_GOAL_NONE, keys, other == CTP_NONE ? 1 : 2);
	k->group = group;
	k->cost = cost;
	query_at(&k->query, event);
	return k;
}

static void add_flip(struct branching *b, uint32_t event, term_t flip, uint32_t extra)
{
	struct candidate *k;
	u128 v;

	if (term_is_const(b->c->ts, flip, &v) && !v)
		return;
	k = branching_add(b, event, CTP_NONE, extra + 16 * term_syms(b->c->ts, flip)->n);
	if (k)
		query_holds(&k->query, flip);
}

/* ---- guards ---------------------------------------------------------------------------------- */

static void add_dereference(struct branching *b, uint32_t event)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	struct terms *ts = b->c->ts;
	uint64_t lo, size;

	if (branch_bounds(b->c, e, &lo, &size) && e->size && e->size <= size) {
		term_t off = term_sub(ts, e->operand, term_const(ts, 64, lo));

		add_flip(b, event, term_ult(ts, term_const(ts, 64, size - e->size), off), 0);
	} else if (!(e->flags & CTP_BASE_KNOWN)) {
		add_flip(b, event, term_ult(ts, e->operand, term_const(ts, 64, NULL_END)), 0);
	}
	add_flip(b, event, term_not(ts, e->cond), PLAIN);
}

/* ---- rounds of waiting loops ------------------------------------------------------------------ */

/*
 * The event continues a loop that only waits. Such rounds are alike: if one can be the last, so can
 * the last recorded one, because the rounds after it could be executed before the awaited write. So
 * only the first and the last round are candidates.
 */
static bool goes_on(struct branching *b, uint32_t event)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	struct spin s;

	if (!b->spins || (e->kind != CTP_BRANCH && e->kind != CTP_TRYFAIL))
		return false;
	s = spin_of(b->spins, e->func, e->insn);
	if (!s.sure || s.exits != 1) /* with other exits the loop may be left and entered again */
		return false;
	if (e->kind == CTP_TRYFAIL)
		return s.kind == SPIN_TRY;
	return !e->operand.id && s.leaves && (ctp_decided(e) == s.stays_if);
}

static void add_guard(struct branching *b, uint32_t event)
{
	const struct ctp_event *e = ctp_at(b->c, event);

	switch (e->kind) {
	case CTP_BRANCH:
	case CTP_ASSERT:
	case CTP_DIVISOR:
	case CTP_CALL:
		if (e->cond.id)
			add_flip(b, event, term_not(b->c->ts, e->cond), 0);
		break;
	case CTP_DEREF:
		if (e->cond.id && e->operand.id)
			add_dereference(b, event);
		break;
	default: break;
	}
}

/* Proposes a decision. Of rounds that continue, the latest one is proposed when the loop ends. */
static void add_decision(struct branching *b, uint32_t event)
{
	uint64_t *waits;
	uint32_t before;

	if (!branch_decides(b->c, event))
		return;
	b->cs->seen++;
	before = b->cs->at.n;
	waits = map_put(&b->rounds, (uint64_t)ctp_at(b->c, event)->thread ^
					    branch_place(&b->places, event));
	if (goes_on(b, event)) {
		if (*waits) {
			*waits = event + 1;
			b->cs->filtered++;
			return;
		}
		*waits = UINT64_MAX; /* the first round is a candidate */
	} else {
		uint64_t last = *waits;

		*waits = 0;
		if (last && last != UINT64_MAX) {
			add_guard(b, (uint32_t)last - 1);
			branching_try(b, (uint32_t)last - 1);
		}
	}
	add_guard(b, event);
	branching_try(b, event);
	b->cs->filtered += b->cs->at.n == before;
}

/* The last rounds of loops that the recorded run did not leave. */
static void add_last_rounds(struct branching *b)
{
	map_each (&b->rounds, i) {
		uint64_t last = b->rounds.slots[i].val;

		if (!last || last == UINT64_MAX)
			continue;
		add_guard(b, (uint32_t)last - 1);
		branching_try(b, (uint32_t)last - 1);
	}
}

static bool is_skipped(const struct candidates *cs, uint32_t event)
{
	const struct ctp_event *e = ctp_at(cs->c, event);
	uint64_t place = (uint64_t)e->func << 32 | e->insn;

	return (cs->skip && map_get(cs->skip, place)) || (cs->only && !map_get(cs->only, place));
}

void prop_branch(struct candidates *cs, uint32_t kinds)
{
	struct branching b = {.cs = cs, .c = cs->c};

	if (!kind_wanted(kinds, FAULT_BRANCH))
		return;
	branch_places_init(&b.places, cs->c);
	b.spins = cs->c->trace ? spins_new(trace_program(cs->c->trace)) : NULL;
	branching_tries_init(&b);
	vec_each (&cs->c->events, e)
		if (!is_skipped(cs, e))
			add_decision(&b, e);
	add_last_rounds(&b);
	branching_tries_release(&b);
	map_release(&b.tries);
	map_release(&b.rounds);
	spins_free(b.spins);
	branch_places_release(&b.places);
}
