/*
 * The query of a stuck state. Positions say which events were executed. The query adds that each
 * thread at a wake-up is asleep: no signal or broadcast has ended its wait (model/model_asleep.c).
 */
#include "predict/stuck_internal.h"

#include "explain/deadlock.h"
#include "log/schedule.h"

enum { STATES = 256 }; /* of one centre that are asked about */

/* Signals that came after the centre's wait in the recorded run. If such a signal comes before the
 * wait, it is lost. */
static void find_losable(const struct stuck *s, struct vec_u32 *out)
{
	const struct ctp_event *e = ctp_at(s->c, s->centre);

	if (e->kind != CTP_WOKEN || s->loop[e->thread] != UNSET)
		return;
	index_each(&s->signals, e->object, i)
	{
		uint32_t g = s->signals.at[i].at;

		if (stuck_executed(s, g) && ctp_at(s->c, g)->thread != e->thread &&
			(e->flags & CTP_PENDING ||
				ctp_at(s->c, g)->rank > ctp_at(s->c, ctp_wait(e))->rank))
			vec_push(out, g);
	}
}

/* Some of the signals came before the centre's wait, or none did. */
static void require_loss(
	const struct stuck *s, struct query *q, const struct vec_u32 *losable, bool lost)
{
	uint32_t wait = ctp_wait(ctp_at(s->c, s->centre));

	vec_each (losable, i) {
		query_add(q, (struct atom){.kind = ATOM_BEFORE, .negated = !lost,
				     .a = losable->at[i], .b = wait});
		if (!lost)
			query_end_clause(q);
	}
	if (lost)
		query_end_clause(q);
}

static void find_positions(const struct stuck *s, struct vec_u32 *out)
{
	vec_push(out, s->centre);
	for (uint32_t t = 0; t < s->c->threads.n; t++)
		if (stuck_is_event(s->pos[t]) && s->pos[t] != s->centre)
			vec_push(out, s->pos[t]);
}

static void add_candidate(struct stuck *s, const struct vec_u32 *losable, bool lost)
{
	bool spins = s->loop[ctp_at(s->c, s->centre)->thread] != UNSET;
	enum fault kind = spins ? FAULT_HANG : lost ? FAULT_LOST_WAKEUP : FAULT_DEADLOCK;
	const struct ctp *c = s->c;
	struct vec_u32 at = {0};
	struct candidate *k;
	bool pending = true;
	uint32_t cost = 0;

	if (!kind_wanted(s->kinds, kind))
		return;
	find_positions(s, &at);
	k = candidates_add(s->cs, kind, spins ? SCHED_GOAL_NONE : SCHED_GOAL_STUCK, at.at, at.n);
	vec_each (&at, i) {
		const struct ctp_event *e = ctp_at(c, at.at[i]);

		if (s->loop[e->thread] != UNSET)
			query_spins(&k->query, at.at[i], s->waitings.at.at[s->loop[e->thread]].stays);
		else if (e->kind == CTP_WOKEN)
			query_asleep(&k->query, at.at[i]);
		else
			query_at(&k->query, at.at[i]);
		cost += rank_distance(c, s->centre, at.at[i]);
		pending &= !!(e->flags & CTP_PENDING);
	}
	for (uint32_t t = 0; t < c->threads.n; t++)
		if (s->pos[t] == FINISHED)
			query_run(&k->query, c->threads.at[t].end);
	if (losable->n)
		require_loss(s, &k->query, losable, lost);
	k->v.certain = pending;
	k->cost = cost;
	k->group = group_of_list(c, kind, &s->centre, 1);
	k->v.title = spins  ? title_of_place(c, kind, s->centre)
		     : lost ? title_of_object(c, kind, ctp_at(c, s->centre)->object)
			    : deadlock_title(c, at.at, at.n);
	vec_release(&at);
}

void stuck_offer_state(struct stuck *s)
{
	struct vec_u32 losable = {0};

	if (s->states++ >= STATES) {
		s->cut = true;
		return;
	}
	find_losable(s, &losable);
	if (losable.n)
		add_candidate(s, &losable, true);
	add_candidate(s, &losable, false);
	vec_release(&losable);
}
