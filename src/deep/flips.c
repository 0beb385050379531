/* Asking questions, and the schedules of what has a witness. */
#include "deep/deep_in.h"

void flip_release(struct flip *f)
{
	if (f->plan)
		finding_free(f->plan);
}

/* The schedule of a witness; the thread of the event is the one that goes on. */
static struct finding *plan_of(const struct ctp *c, uint32_t event, const struct witness *w)
{
	struct candidate cand = {.kind = FINDING_BRANCH, .key = {event}, .nkeys = 1};
	struct finding *f = finding_new();
	uint32_t thread = ctp_group(c, ctp_at(c, event)->thread);
	uint64_t until = 0;

	f->kind = FINDING_BRANCH;
	schedule_of(c, &cand, w, f);
	merge_renumber(c, f);
	vec_each (&f->moves, i)
		if (f->moves.at[i].thread == thread)
			until = f->moves.at[i].until;
	if (f->moves.n && vec_last(&f->moves).thread != thread)
		vec_push(&f->moves, (struct finding_move){thread, until});
	return f;
}

static void make_query(const struct question *qu, struct query *q)
{
	query_clear(q);
	if (qu->runs) {
		query_run(q, qu->event);
		return;
	}
	query_at(q, qu->event);
	query_holds(q, qu->holds);
}

static bool ask(struct deep *d, const struct ctp *c, struct asker *a, const struct question *qu)
{
	struct model_result res = {0};
	struct query q = {0};
	bool known;

	make_query(qu, &q);
	asker_ask(a, &q, &res);
	known = res.answer != ANSWER_UNKNOWN;
	d->st->asked++;
	if (res.answer == ANSWER_YES) {
		vec_push(&d->queue, (struct flip){.node = qu->node,
					    .ways = qu->ways,
					    .fails = qu->fails,
					    .fresh = qu->fresh,
					    .plan = plan_of(c, qu->event, &res.witness),
					    .cost = res.witness.events.n});
		d->st->flips++;
	} else if (known) {
		d->st->impossible++;
	} else {
		d->st->unknown++;
	}
	query_release(&q);
	model_result_release(&res);
	return known;
}

uint32_t flips_ask(struct deep *d, const struct ctp *c, const struct questions *qs)
{
	struct model_limits lim = {.seconds = d->opt->predict.query_seconds,
		.memory = d->opt->predict.memory,
		.switches = -1};
	struct asker *a = NULL;
	uint32_t unknown = 0;

	vec_each (qs, i) {
		if (deep_over(d))
			return unknown + qs->n - i;
		if (!a)
			a = asker_new(c, MODEL_CTP, &lim,
				(uint32_t)MIN(d->opt->max_events, UINT32_MAX));
		unknown += !ask(d, c, a, &qs->at[i]);
	}
	asker_free(a);
	return unknown;
}
