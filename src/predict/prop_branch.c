/*
 * Decisions that another schedule changes (paper 002, §3): a guard whose thread stands before it while
 * its condition does not hold, or a try for a lock that goes the other way. Conditional branches and
 * switches decide openly; a pointer or an index decides what is accessed, a function pointer what is
 * called, a divisor whether the program goes on, a try who has the lock.
 *
 * One source location is one group, and one report (branch.h). Where a flip can be a failure by itself
 * (an index that leaves its block, a pointer that is null) that is asked first: of all instances, before
 * the first of them is asked for just any other value.
 */
#include "predict/branch.h"
#include "predict/candidates.h"

#include "log/schedule.h"

enum {
	LOCATION_TRIES = 20000, /* candidates of one location */
	TRY_REGIONS = 256,      /* of a lock: what a try is asked against */
	PLAIN = 1 << 20,        /* cost of a flip that is no failure, where another may be one */
	NULL_END = 4096,
};

struct branching {
	struct candidates *cs;
	const struct ctp *c;
	struct branch_places places;
	struct map tries;                /* location -> candidates */
	struct map regions_of;           /* object -> first of `lists` + 1 */
	VEC(struct vec_u32) lists;       /* regions of one object */
};

/* ---- candidates ------------------------------------------------------------------------------ */

/* One more of the location; NULL: there are enough. */
static struct candidate *add(struct branching *b, uint32_t event, uint32_t other, uint32_t cost)
{
	uint64_t group = branch_place(&b->places, event), *n = map_put(&b->tries, group);
	uint32_t keys[2] = {event, other};
	struct candidate *k;

	if (*n >= LOCATION_TRIES) {
		candidates_limit(b->cs, "of decisions that were made many times, %d questions each "
					"were asked", LOCATION_TRIES);
		return NULL;
	}
	++*n;
	k = candidates_add(b->cs, FINDING_BRANCH, SCHED_GOAL_NONE, keys, other == CTP_NONE ? 1 : 2);
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
	k = add(b, event, CTP_NONE, extra + 16 * term_syms(b->c->ts, flip)->n);
	if (k)
		query_holds(&k->query, flip);
}

/* ---- guards ---------------------------------------------------------------------------------- */

static void dereference(struct branching *b, uint32_t event)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	struct terms *ts = b->c->ts;
	uint64_t lo, size;

	if (branch_bounds(b->c, e, &lo, &size) && e->size && e->size <= size) {
		term_t off = term_sub(ts, e->addr, term_const(ts, 64, lo));

		add_flip(b, event, term_ult(ts, term_const(ts, 64, size - e->size), off), 0);
	} else if (!(e->flags & CTP_BASE_KNOWN)) {
		add_flip(b, event, term_ult(ts, e->addr, term_const(ts, 64, NULL_END)), 0);
	}
	add_flip(b, event, term_not(ts, e->cond), PLAIN);
}

static void guard(struct branching *b, uint32_t event)
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
		if (e->cond.id && e->addr.id)
			dereference(b, event);
		break;
	default: break;
	}
}

/* ---- tries ----------------------------------------------------------------------------------- */

static void index_regions(struct branching *b)
{
	vec_each (&b->c->regions, r) {
		uint64_t *at = map_put(&b->regions_of, b->c->regions.at[r].object);

		if (!*at) {
			vec_add(&b->lists);
			*at = b->lists.n;
		}
		vec_push(&b->lists.at[*at - 1], r);
	}
}

static const struct vec_u32 *regions_of(const struct branching *b, uint64_t object)
{
	static const struct vec_u32 none;
	uint64_t at = map_get_or(&b->regions_of, object, 0);

	return at ? &b->lists.at[at - 1] : &none;
}

/* The thread itself has the lock there. */
static bool holds_itself(const struct branching *b, uint32_t event)
{
	struct vec_u32 held = {0};
	bool found = false;

	mhb_held(b->cs->mhb, event, &held);
	vec_each (&held, i)
		found |= b->c->regions.at[held.at[i]].object == ctp_at(b->c, event)->object;
	vec_release(&held);
	return found;
}

/* It is over whenever the thread stands at the event. */
static bool is_over(const struct branching *b, const struct ctp_region *g, uint32_t event)
{
	uint32_t pred = ctp_pred(b->c, event);

	return g->end != CTP_NONE && pred != CTP_NONE &&
	       (g->end == pred || mhb_before(b->cs->mhb, g->end, pred));
}

/* It cannot have begun. */
static bool is_later(const struct branching *b, const struct ctp_region *g, uint32_t event)
{
	return g->begin != CTP_NONE &&
	       (g->begin == event || mhb_before(b->cs->mhb, event, g->begin));
}

/* Nobody has the lock: each of its regions has not begun, or is over. */
static void could_succeed(struct branching *b, uint32_t event)
{
	const struct vec_u32 *rs = regions_of(b, ctp_at(b->c, event)->object);
	struct candidate *k;
	uint32_t n = 0;

	vec_each (rs, i)
		n += !is_over(b, &b->c->regions.at[rs->at[i]], event) &&
		     !is_later(b, &b->c->regions.at[rs->at[i]], event);
	if (n > TRY_REGIONS) {
		candidates_limit(b->cs, "tries for locks that are taken more than %d times by "
					"others were not looked at", TRY_REGIONS);
		return;
	}
	if (!n || !(k = add(b, event, CTP_NONE, 16 * n)))
		return;
	vec_each (rs, i) {
		const struct ctp_region *g = &b->c->regions.at[rs->at[i]];

		if (is_over(b, g, event) || is_later(b, g, event))
			continue;
		if (g->begin != CTP_NONE)
			query_add(&k->query,
				(struct atom){.kind = ATOM_RUN, .negated = true, .a = g->begin});
		if (g->end != CTP_NONE)
			query_add(&k->query, (struct atom){.kind = ATOM_RUN, .a = g->end});
		if (g->begin != CTP_NONE || g->end != CTP_NONE)
			query_end_clause(&k->query);
	}
}

/* Somebody else has the lock: one question for each region that keeps the try out. */
static void could_fail(struct branching *b, uint32_t event)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	const struct vec_u32 *rs = regions_of(b, e->object);
	uint32_t n = 0;

	vec_each (rs, i) {
		const struct ctp_region *g = &b->c->regions.at[rs->at[i]];
		struct candidate *k;

		if (g->thread == e->thread || g->begin == CTP_NONE || is_over(b, g, event) ||
			is_later(b, g, event) || (e->kind == CTP_RDLOCK && g->shared))
			continue;
		if (++n > TRY_REGIONS) {
			candidates_limit(b->cs, "of tries for locks that are taken very often, %d "
						"holders each were looked at", TRY_REGIONS);
			return;
		}
		k = add(b, event, g->begin, rank_distance(b->c, event, g->begin));
		if (!k)
			return;
		query_run(&k->query, g->begin);
		if (g->end == CTP_NONE)
			continue;
		query_add(&k->query, (struct atom){.kind = ATOM_RUN, .negated = true, .a = g->end});
		query_end_clause(&k->query);
	}
}

static void try(struct branching *b, uint32_t event)
{
	const struct ctp_event *e = ctp_at(b->c, event);

	if (e->flags & (CTP_PENDING | CTP_RECURSIVE) || holds_itself(b, event))
		return;
	if (e->kind == CTP_TRYFAIL && !(e->flags & CTP_ERRORCHECK))
		could_succeed(b, event);
	else if ((e->kind == CTP_LOCK || e->kind == CTP_RDLOCK) && e->flags & CTP_TRIED)
		could_fail(b, event);
}

static bool is_skipped(const struct candidates *cs, uint32_t event)
{
	const struct ctp_event *e = ctp_at(cs->c, event);

	return cs->skip && map_get(cs->skip, (uint64_t)e->func << 32 | e->insn);
}

void prop_branch(struct candidates *cs, uint32_t kinds)
{
	struct branching b = {.cs = cs, .c = cs->c};

	if (!kind_wanted(kinds, FINDING_BRANCH))
		return;
	branch_places_init(&b.places, cs->c);
	index_regions(&b);
	vec_each (&cs->c->events, e) {
		uint32_t before = cs->at.n;

		if (is_skipped(cs, e))
			continue;
		guard(&b, e);
		try(&b, e);
		cs->seen += branch_decides(cs->c, e);
		cs->filtered += branch_decides(cs->c, e) && cs->at.n == before;
	}
	vec_each (&b.lists, i)
		vec_release(&b.lists.at[i]);
	vec_release(&b.lists);
	map_release(&b.regions_of);
	map_release(&b.tries);
	branch_places_release(&b.places);
}
