/*
 * Assertions and divisions (Fusion, §4): a thread stands before a guard while its condition is
 * false. Instances of one place are one group. A condition that no schedule changes is a constant,
 * and no candidate.
 */
#include "predict/candidates.h"

#include "base/vec.h"
#include "log/schedule.h"

/* The condition under which the guard fails; TERM_NONE: it cannot fail. */
static term_t failure_term(const struct ctp *c, const struct ctp_event *e)
{
	term_t t = TERM_NONE;
	u128 v;

	if (e->kind == CTP_ASSERT && e->cond.id)
		t = term_not(c->ts, e->cond);
	else if (e->kind == CTP_DIVISOR && e->operand.id)
		t = term_eq(c->ts, e->operand, term_const(c->ts, term_width(c->ts, e->operand), 0));
	return t.id && term_is_const(c->ts, t, &v) && !v ? TERM_NONE : t;
}

/* A guard over few values is decided faster than one over many. */
static uint32_t cost_of(const struct ctp *c, term_t t)
{
	return 16 * term_syms(c->ts, t)->n;
}

static void add_candidate(struct candidates *cs, const struct pair *p, uint64_t group)
{
	const struct ctp_event *e = ctp_at(cs->c, p->a);
	enum fault kind = e->kind == CTP_ASSERT ? FAULT_ASSERT : FAULT_DIVISION;
	struct candidate *k = candidates_add(cs, kind, SCHED_GOAL_NONE, &p->a, 1);

	k->group = group;
	k->cost = p->cost;
	k->v.title = title_of_place(cs->c, kind, p->a);
	query_at(&k->query, p->a);
	query_holds(&k->query, failure_term(cs->c, e));
}

void prop_assert(struct candidates *cs, uint32_t kinds)
{
	const struct ctp *c = cs->c;
	struct pair_groups pg = {0};

	vec_each (&c->events, i) {
		const struct ctp_event *e = ctp_at(c, i);
		enum fault kind = e->kind == CTP_ASSERT ? FAULT_ASSERT : FAULT_DIVISION;
		term_t t;

		if ((e->kind != CTP_ASSERT && e->kind != CTP_DIVISOR) || !kind_wanted(kinds, kind))
			continue;
		cs->seen++;
		if (!(t = failure_term(c, e)).id)
			cs->filtered++;
		else
			pair_groups_offer(&pg, group_of_list(c, kind, &i, 1),
				(struct pair){i, i, cost_of(c, t), 0});
	}
	vec_each (&pg.at, g) {
		const struct pair_group *gr = &pg.at.at[g];

		vec_each (&gr->at, i)
			add_candidate(cs, &gr->at.at[i], gr->group);
		if (gr->cut)
			candidates_limit(cs,
				"of assertions that were executed many times, %d "
				"executions each were checked",
				GROUP_TRIES);
	}
	pair_groups_release(&pg);
}
