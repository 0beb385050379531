/*
 * Three-access atomicity violations (Fusion, §5.1): c and c' of one transaction (transactions.h),
 * and between them an access r of another thread, such that no serial order has the same effect.
 * Five of the eight combinations are such: a write of another thread between any two accesses, and
 * a read of another thread between two writes.
 *
 * One bug, one report. If the accesses of the transaction are a data race, only the race is
 * reported: an inferred transaction is a finding only if its accesses are protected, by locks or
 * because they are atomic, but not together. A marked transaction is always a finding. If all three
 * accesses are atomic, an inferred one counts only if the replay ends as no serial order does.
 * Without the property of data races, every transaction counts.
 */
#include "predict/candidates.h"
#include "base/base.h"
#include "base/hash.h"
#include "base/search.h"
#include "predict/access_streams.h"
#include "predict/transactions.h"

#include "log/schedule.h"

#include <stdlib.h>
#include <string.h>

enum {
	ALL_ACCESSES = 64, /* a stream of at most so many is compared fully */
	NEIGHBOURS = 4,    /* otherwise so many on each side */
	BY_OUTCOME = 1,    /* bit of a group: the replay decides whether it is a finding */
};

struct atomicity {
	struct candidates *cs;
	const struct ctp *c;
	bool races; /* the property of data races is on */
	struct access_streams u;
	struct pair_groups pg;
	struct vec_u32 a, b;        /* critical sections; scratch */
	VEC(struct held_lock) over; /* locks held from c to c' */
};

static bool is_unserializable(bool c, bool r, bool c2)
{
	return r || (c && c2);
}

/* The locks that are held throughout from c to c'. */
static void locks_over(struct atomicity *x, const struct transaction *t)
{
	vec_clear(&x->a);
	vec_clear(&x->b);
	vec_clear(&x->over);
	mhb_held(x->cs->mhb, t->first, &x->a);
	mhb_held(x->cs->mhb, t->second, &x->b);
	vec_each (&x->a, i)
		vec_each (&x->b, k)
			if (x->a.at[i] == x->b.at[k]) {
				const struct ctp_region *r = &x->c->regions.at[x->a.at[i]];

				vec_push(&x->over, (struct held_lock){r->object, r->shared});
			}
}

static bool is_kept_out(const struct atomicity *x, const struct stream_access *r)
{
	const struct lockset *s = &x->u.sets.at[r->locks];

	vec_each (&x->over, i)
		for (uint32_t k = 0; k < s->n; k++) {
			const struct held_lock *l = &x->u.locks.at[s->first + k];

			if (l->object == x->over.at[i].object &&
				!(l->shared && x->over.at[i].shared))
				return true;
		}
	return false;
}

static bool may_race(const struct atomicity *x, uint32_t a, uint32_t b)
{
	return !(ctp_at(x->c, a)->flags & ctp_at(x->c, b)->flags & CTP_ATOMIC) &&
	       (ctp_writes(x->c, a) || ctp_writes(x->c, b)) && mhb_co_enabled(x->cs->mhb, a, b);
}

/* Correct programs without locks consist of atomic accesses, and tolerate accesses of other threads
 * between them: such an access alone is no violation. */
static bool is_by_outcome(const struct atomicity *x, const struct transaction *t, uint32_t r)
{
	return t->why >= TRANSACTION_VALUE &&
	       (ctp_at(x->c, t->first)->flags & ctp_at(x->c, r)->flags &
		       ctp_at(x->c, t->second)->flags & CTP_ATOMIC);
}

static void offer_triple(
	struct atomicity *x, const struct transaction *t, uint32_t r, uint64_t group)
{
	uint32_t cost = rank_distance(x->c, t->first, r) + rank_distance(x->c, r, t->second);

	x->cs->seen++;
	if (x->cs->every)
		group = group_of_list(
			x->c, FAULT_ATOMICITY, (uint32_t[]){t->first, r, t->second}, 3);
	group = (group & ~(uint64_t)BY_OUTCOME) | (is_by_outcome(x, t, r) ? BY_OUTCOME : 0);
	if (!pair_groups_wants(&x->pg, group, cost) || mhb_before(x->cs->mhb, r, t->first) ||
		mhb_before(x->cs->mhb, t->second, r) ||
		(x->races && t->why >= TRANSACTION_VALUE &&
			(may_race(x, t->first, r) || may_race(x, t->second, r)))) {
		x->cs->filtered++;
		return;
	}
	pair_groups_offer(&x->pg, group, (struct pair){t->first, r, cost, t->second});
}

/* Offers the accesses of a stream that are near the transaction in the observed order. */
static void offer_stream(struct atomicity *x, const struct transaction *t, const struct stream *s)
{
	const struct stream_access *u = &x->u.at.at[s->first];
	/* one finding for a function and a variable, whichever thread comes between */
	uint64_t group = hash_u64(ctp_names_hash(x->c, t->first) + FAULT_ATOMICITY);
	uint32_t from = 0, to = s->n, rank = ctp_at(x->c, t->first)->rank;

	if (s->n > ALL_ACCESSES) {
		uint32_t at = lower_bound(0, s->n, i, ctp_at(x->c, u[i].event)->rank, rank);

		from = at > NEIGHBOURS ? at - NEIGHBOURS : 0;
		to = MIN(s->n, at + NEIGHBOURS);
	}
	for (uint32_t i = from; i < to; i++)
		offer_triple(x, t, u[i].event, group);
}

static bool writes_cell(const struct ctp *c, uint32_t event, uint32_t cell)
{
	const struct ctp_event *e = ctp_at(c, event);

	for (uint32_t i = 0; i < e->n; i++)
		if (c->accesses.at[e->first + i].cell == cell &&
			c->accesses.at[e->first + i].value.id)
			return true;
	return false;
}

static void offer_other_threads(struct atomicity *x, const struct transaction *t)
{
	bool c = writes_cell(x->c, t->first, t->cell), c2 = writes_cell(x->c, t->second, t->cell);
	uint32_t thread = ctp_at(x->c, t->first)->thread;
	bool first = true;

	for (uint32_t i = x->u.by_cell.at[t->cell]; i < x->u.by_cell.at[t->cell + 1]; i++) {
		const struct stream_access *r = &x->u.at.at[x->u.streams.at[i].first];

		if (r->thread == thread || !is_unserializable(c, r->write, c2) ||
			(t->why == TRANSACTION_WRITES && r->write))
			continue;
		if (first)
			locks_over(x, t);
		first = false;
		if (is_kept_out(x, r)) {
			x->cs->seen++;
			x->cs->filtered++;
		} else {
			offer_stream(x, t, &x->u.streams.at[i]);
		}
	}
}

static void add_candidate(struct candidates *cs, uint64_t group, const struct pair *p)
{
	struct candidate *k = candidates_add(
		cs, FAULT_ATOMICITY, SCHED_GOAL_NONE, (uint32_t[]){p->a, p->b, p->third}, 3);

	k->group = group;
	k->cost = p->cost;
	k->v.by_outcome = group & BY_OUTCOME;
	k->v.title = title_of_access(cs->c, FAULT_ATOMICITY, p->a);
	k->v.detail = xasprintf("%s, %s by another thread, %s",
		ctp_writes(cs->c, p->a) ? "write" : "read",
		ctp_writes(cs->c, p->b) ? "write" : "read",
		ctp_writes(cs->c, p->third) ? "write" : "read");
	query_before(&k->query, p->a, p->b);
	query_before(&k->query, p->b, p->third);
	query_run(&k->query, p->third);
	query_changes(&k->query, cs->c, p->b);
}

void prop_atomicity(struct candidates *cs, uint32_t kinds)
{
	struct atomicity x = {.cs = cs, .c = cs->c, .races = kind_wanted(kinds, FAULT_RACE)};
	struct transactions tr;

	if (!kind_wanted(kinds, FAULT_ATOMICITY))
		return;
	transactions_build(&tr, x.c, cs->mhb, true);
	if (tr.at.n) {
		access_streams_build(&x.u, x.c, cs->mhb);
		vec_each (&tr.at, i)
			offer_other_threads(&x, &tr.at.at[i]);
		access_streams_release(&x.u);
	}
	vec_each (&x.pg.at, g) {
		const struct pair_group *gr = &x.pg.at.at[g];

		vec_each (&gr->at, i)
			add_candidate(cs, gr->group, &gr->at.at[i]);
		if (gr->cut)
			candidates_limit(cs,
				"of transactions with many instances, the %d nearest "
				"combinations each were checked",
				GROUP_TRIES);
	}
	transactions_release(&tr);
	pair_groups_release(&x.pg);
	vec_release(&x.a);
	vec_release(&x.b);
	vec_release(&x.over);
}
