/*
 * The query of a stuck state. Positions say which events were executed; the query adds the order of
 * signals and waits: each signal came before the waits of the state, or woke another waiter.
 */
#include "predict/stuck_internal.h"

#include "log/schedule.h"

enum {
	STATES = 64,    /* of one centre that are asked about */
	CONSUMERS = 16, /* pairs of a signal and the waiter that it woke, of one state */
};

struct consumer { /* a signal, and the WOKEN of another thread that it caused */
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

/* A signal wakes one of the waiting threads: no other signal came during the consumer's wait. */
static void require_no_other_signal(const struct stuck *s, struct query *q,
	const struct consumers *cons, const struct consumer *k)
{
	const struct ctp_event *woken = ctp_at(s->c, k->woken);

	index_each(&s->signals, woken->object, i)
	{
		uint32_t g = s->signals.at[i].at;

		if (!stuck_executed(s, g) || is_consumed(cons, g))
			continue;
		query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = g, .b = ctp_wait(woken)});
		query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = k->signal, .b = g});
		query_end_clause(q);
	}
}

static void add_state(struct stuck *s, const struct consumers *cons, bool lost)
{
	enum fault kind = lost ? FAULT_LOST_WAKEUP : FAULT_DEADLOCK;
	const struct ctp *c = s->c;
	struct vec_u32 at = {0};
	struct candidate *k;
	bool pending = true;
	uint32_t cost = 0;

	if (!kind_wanted(s->kinds, kind))
		return;
	vec_push(&at, s->centre);
	for (uint32_t t = 0; t < c->threads.n; t++)
		if (stuck_is_event(s->pos[t]) && s->pos[t] != s->centre)
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
		query_before(&k->query, ctp_wait(ctp_at(c, cons->at[i].woken)), cons->at[i].signal);
		query_before(&k->query, cons->at[i].signal, cons->at[i].woken);
		require_no_other_signal(s, &k->query, cons, &cons->at[i]);
	}
	/* every other signal came before each of the waits */
	vec_each (&at, w) {
		const struct ctp_event *e = ctp_at(c, at.at[w]);

		if (e->kind != CTP_WOKEN)
			continue;
		index_each(&s->signals, e->object, i)
		{
			uint32_t g = s->signals.at[i].at;

			if (stuck_executed(s, g) && !is_consumed(cons, g) &&
				ctp_at(c, g)->thread != e->thread)
				query_before(&k->query, g, ctp_wait(e));
		}
	}
	k->v.certain = pending;
	k->cost = cost;
	k->group = group_of_list(c, kind, &s->centre, 1);
	k->v.title = lost ? title_of_object(c, kind, ctp_at(c, s->centre)->object)
			  : stuck_title(c, at.at, at.n);
	vec_release(&at);
}

/* A signal that came after the centre's wait in the recorded run now comes before it. */
static bool is_lost(const struct stuck *s, const struct consumers *cons)
{
	const struct ctp_event *e = ctp_at(s->c, s->centre);

	if (e->kind != CTP_WOKEN)
		return false;
	index_each(&s->signals, e->object, i)
	{
		uint32_t g = s->signals.at[i].at;

		if (!is_consumed(cons, g) && stuck_executed(s, g) &&
			ctp_at(s->c, g)->thread != e->thread &&
			(e->flags & CTP_PENDING ||
				ctp_at(s->c, g)->rank > ctp_at(s->c, ctp_wait(e))->rank))
			return true;
	}
	return false;
}

/* The signal cannot come before the wait. */
static bool is_too_late(const struct stuck *s, uint32_t signal, const struct ctp_event *woken)
{
	return mhb_before(s->cs->mhb, ctp_wait(woken), signal);
}

/* Signals, and other waits of their condition variables that they may have ended. */
static void possible_consumers(
	const struct stuck *s, struct consumer *out, uint32_t *n, uint32_t max)
{
	*n = 0;
	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_event *e =
			stuck_is_event(s->pos[t]) ? ctp_at(s->c, s->pos[t]) : NULL;

		if (!e || e->kind != CTP_WOKEN)
			continue;
		index_each(&s->wokens, e->object, x)
		{
			uint32_t v = s->wokens.at[x].at;
			const struct ctp_event *w = ctp_at(s->c, v);

			if (!stuck_executed(s, v))
				continue;
			index_each(&s->signals, e->object, i)
			{
				uint32_t g = s->signals.at[i].at;

				if (*n == max)
					return;
				if (ctp_at(s->c, g)->kind == CTP_SIGNAL && stuck_executed(s, g) &&
					ctp_at(s->c, g)->thread != w->thread &&
					!mhb_before(s->cs->mhb, v, g) &&
					!mhb_before(s->cs->mhb, g, ctp_wait(w)))
					out[(*n)++] = (struct consumer){g, v};
			}
		}
	}
}

/* All signals that are not consumed can come before every wait of the state. */
static bool signals_fit(const struct stuck *s, const struct consumers *cons)
{
	for (uint32_t t = 0; t < s->c->threads.n; t++) {
		const struct ctp_event *e =
			stuck_is_event(s->pos[t]) ? ctp_at(s->c, s->pos[t]) : NULL;

		if (!e || e->kind != CTP_WOKEN)
			continue;
		index_each(&s->signals, e->object, i)
		{
			uint32_t g = s->signals.at[i].at;

			if (!is_consumed(cons, g) && stuck_executed(s, g) && is_too_late(s, g, e))
				return false;
		}
	}
	return true;
}

void stuck_offer_state(struct stuck *s)
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
