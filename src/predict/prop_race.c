/*
 * Data races (Fusion, §5.2): two threads stand at once before accesses to the same cell, at least
 * one a write, not both atomic.
 *
 * Candidates come from pairs of streams (access_streams.h) of one cell. In two long streams each
 * access is paired only with its neighbours in the observed order, and a few beyond: if the nearest
 * access must happen before or after it, so must all beyond. Pairs that are left out are a limit.
 */
#include "predict/candidates.h"
#include "base/base.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "model/model_facts.h"
#include "predict/access_streams.h"

#include "log/schedule.h"

#include <string.h>

enum {
	ALL_PAIRS = 4096,     /* streams with at most so many pairs are compared fully */
	NEIGHBOURS = 4,       /* otherwise so many on each side */
	CELL_PAIRS = 1 << 16, /* pairs of streams of one cell */
	MAX_CHECKED = 1 << 24, /* pairs beyond the neighbours that are looked at */
};

struct racing {
	struct candidates *cs;
	const struct ctp *c;
	struct access_streams u;
	struct pair_groups pg;
	uint32_t checked; /* pairs beyond the neighbours so far */
};

static void offer_pair(struct racing *r, uint64_t group, uint32_t a, uint32_t b)
{
	uint32_t cost = rank_distance(r->c, a, b);

	r->cs->seen++;
	if (!pair_groups_wants(&r->pg, group, cost) || !mhb_co_enabled(r->cs->mhb, a, b)) {
		r->cs->filtered++;
		return;
	}
	if (ctp_at(r->c, a)->rank > ctp_at(r->c, b)->rank)
		pair_groups_offer(&r->pg, group, (struct pair){b, a, cost, 0});
	else
		pair_groups_offer(&r->pg, group, (struct pair){a, b, cost, 0});
}

static uint32_t rank_of(const struct racing *r, const struct stream *s, uint32_t i)
{
	return ctp_at(r->c, r->u.at.at[s->first + i].event)->rank;
}

/* A query could find a race of e with access j of the stream, *beyond is false if with none on the
 * other side of j either. */
static bool may_race(
	struct racing *r, const struct stream *s, uint32_t e, uint32_t j, bool *beyond)
{
	uint32_t other = r->u.at.at[s->first + j].event;

	*beyond = mhb_co_enabled(r->cs->mhb, e, other);
	return *beyond && (++r->checked > MAX_CHECKED || !mhb_derived_exclude(r->cs->mhb, e, other));
}

/* A query could find a race of e with an access of the stream outside of [from, to). */
static bool leaves_out(
	struct racing *r, const struct stream *s, uint32_t e, uint32_t from, uint32_t to)
{
	bool beyond = true;

	for (uint32_t j = from; j-- > 0 && beyond;)
		if (may_race(r, s, e, j, &beyond))
			return true;
	beyond = true;
	for (uint32_t j = to; j < s->n && beyond; j++)
		if (may_race(r, s, e, j, &beyond))
			return true;
	return false;
}

/* Pairs e with accesses of the stream at doubling distances from index k. */
static void pair_far(
	struct racing *r, uint64_t group, const struct stream *s, uint32_t e, uint32_t k)
{
	for (uint32_t d = 2 * NEIGHBOURS; d <= k || k + d < s->n; d *= 2) {
		if (d <= k)
			offer_pair(r, group, e, r->u.at.at[s->first + k - d].event);
		if (k + d < s->n)
			offer_pair(r, group, e, r->u.at.at[s->first + k + d].event);
	}
}

/* Pairs each access of the shorter stream with its neighbours in the longer one, and with some beyond
 * these: synchronization that only a query knows may exclude the neighbours, and not those. If others
 * are not ordered with it, the group counts as cut. */
static void pair_near(
	struct racing *r, uint64_t group, const struct stream *a, const struct stream *b)
{
	uint32_t k = 0, from, to;
	bool left_out = false;

	if (a->n > b->n) {
		const struct stream *t = a;

		a = b;
		b = t;
	}
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t e = r->u.at.at[a->first + i].event, rank = rank_of(r, a, i);

		while (k < b->n && rank_of(r, b, k) < rank)
			k++;
		from = k > NEIGHBOURS ? k - NEIGHBOURS : 0;
		to = MIN(b->n, k + NEIGHBOURS);
		for (uint32_t j = from; j < to; j++)
			offer_pair(r, group, e, r->u.at.at[b->first + j].event);
		pair_far(r, group, b, e, k);
		left_out = left_out || leaves_out(r, b, e, from, to);
	}
	if (left_out)
		pair_groups_cut(&r->pg, group);
}

/* Hash of the places, and of the data where a library function makes the access. */
static uint64_t group_of(const struct racing *r, uint32_t a, uint32_t b)
{
	uint64_t g = group_of_set(r->c, FAULT_RACE, (uint32_t[]){a, b}, 2);
	struct strbuf name = {0};

	if (!((ctp_at(r->c, a)->flags | ctp_at(r->c, b)->flags) & CTP_NATIVE_USE))
		return g;
	ctp_name_access(r->c, ctp_at(r->c, a)->flags & CTP_NATIVE_USE ? b : a, &name);
	g = hash_u64(g ^ hash_bytes(name.s, name.n));
	strbuf_release(&name);
	return g;
}

static void pair_streams(struct racing *r, const struct stream *a, const struct stream *b)
{
	const struct stream_access *x = &r->u.at.at[a->first], *y = &r->u.at.at[b->first];
	uint64_t group;

	if (x->thread == y->thread || !(x->write || y->write) || (x->atomic && y->atomic))
		return;
	if (access_streams_exclude(&r->u, x->locks, y->locks)) {
		r->cs->seen++;
		r->cs->filtered++;
		return;
	}
	group = group_of(r, x->event, y->event);
	if ((uint64_t)a->n * b->n > ALL_PAIRS) {
		pair_near(r, group, a, b);
		return;
	}
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t j = 0; j < b->n; j++)
			offer_pair(r, group, r->u.at.at[a->first + i].event,
				r->u.at.at[b->first + j].event);
}

static void pair_cell(struct racing *r, uint32_t cell)
{
	uint32_t from = r->u.by_cell.at[cell], to = r->u.by_cell.at[cell + 1], left = CELL_PAIRS;

	for (uint32_t i = from; i < to; i++)
		for (uint32_t j = i + 1; j < to; j++) {
			if (!left--) {
				candidates_limit(r->cs,
					"some variables are accessed in too many "
					"ways to compare all accesses for data races");
				return;
			}
			pair_streams(r, &r->u.streams.at[i], &r->u.streams.at[j]);
		}
}

/* Which race of a family is reported: two writes at different lines; otherwise a read and a write;
 * otherwise two threads at one line. */
static uint32_t race_weight(const struct ctp *c, const struct candidate *k)
{
	if (ctp_places_hash(c, &k->v.key[0], 1) == ctp_places_hash(c, &k->v.key[1], 1))
		return 0;
	return ctp_writes(c, k->v.key[0]) && ctp_writes(c, k->v.key[1]) ? 2 : 1;
}

static uint64_t locks_hash(const struct candidates *cs, uint32_t event)
{
	struct vec_u32 held = {0};
	uint64_t h = ctp_names_hash(cs->c, event);

	mhb_held(cs->mhb, event, &held);
	vec_each (&held, i)
		h = hash_u64(h ^ cs->c->regions.at[held.at[i]].object);
	vec_release(&held);
	return h;
}

/* The heaviest candidate counts for its group: a group is minor as a whole. */
static void choose_minor(struct candidates *cs, uint32_t from)
{
	struct map of_group = {0}, of_family = {0};

	for (uint32_t i = from; i < cs->at.n; i++) {
		struct candidate *k = &cs->at.at[i];
		uint64_t w = race_weight(cs->c, k) + 1, *g = map_put(&of_group, k->group),
			 *f = map_put(&of_family, k->family);

		*g = MAX(*g, w);
		*f = MAX(*f, w);
	}
	for (uint32_t i = from; i < cs->at.n; i++) {
		struct candidate *k = &cs->at.at[i];

		k->minor = map_get_or(&of_group, k->group, 0) <
			   map_get_or(&of_family, k->family, 0);
	}
	map_release(&of_group);
	map_release(&of_family);
}

static void add_candidate(struct candidates *cs, uint64_t group, const struct pair *p)
{
	struct candidate *k =
		candidates_add(cs, FAULT_RACE, SCHED_GOAL_RACE, (uint32_t[]){p->a, p->b}, 2);

	k->group = group;
	k->cost = p->cost;
	k->v.title = title_of_access(cs->c, FAULT_RACE, race_named_by(cs->c, p->a, p->b));
	query_at(&k->query, p->a);
	query_at(&k->query, p->b);
	if (!ctp_writes(cs->c, p->a))
		query_changes(&k->query, cs->c, p->b);
	if (!ctp_writes(cs->c, p->b))
		query_changes(&k->query, cs->c, p->a);
	/* the same code, data and locks: several lines of one bug */
	k->family = hash_u64(locks_hash(cs, p->a) + locks_hash(cs, p->b) + FAULT_RACE);
	if ((ctp_at(cs->c, p->a)->flags | ctp_at(cs->c, p->b)->flags) & CTP_NATIVE_USE)
		k->v.detail =
			xstrdup("One of the accesses is inside of a library function, where a "
				"replay cannot stop.");
}

void prop_race(struct candidates *cs, uint32_t kinds)
{
	struct racing r = {.cs = cs, .c = cs->c};
	uint32_t first = cs->at.n;

	if (!kind_wanted(kinds, FAULT_RACE))
		return;
	access_streams_build(&r.u, r.c, cs->mhb);
	/* of semaphores only: they hold in every kind of model */
	facts_derive_sections(mhb_facts(cs->mhb), false);
	for (uint32_t cell = 0; cell < r.c->cells.n; cell++)
		pair_cell(&r, cell);
	vec_each (&r.pg.at, g) {
		const struct pair_group *gr = &r.pg.at.at[g];

		vec_each (&gr->at, i)
			add_candidate(cs, gr->group, &gr->at.at[i]);
		if (gr->cut)
			candidates_limit(cs,
				"of pairs of accesses with many instances, the %d "
				"nearest each were checked for data races",
				GROUP_TRIES);
	}
	if (!cs->every)
		choose_minor(cs, first);
	pair_groups_release(&r.pg);
	access_streams_release(&r.u);
}
