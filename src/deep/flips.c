/* Questions to a model of one run: which guards may go another way; and the schedules of the answers. */
#include "deep/deep_in.h"

#include "base/clock.h"

void flip_release(struct flip *f)
{
	if (f->plan)
		finding_free(f->plan);
}

/* Guards whose other way leads on. What fails is prediction's. */
static bool is_asked(const struct ctp_event *e)
{
	switch (e->kind) {
	case CTP_BRANCH:
	case CTP_FIX:
	case CTP_DEREF:
	case CTP_CALL: return true;
	default: return false;
	}
}

/* The schedule of a witness; the thread of the event is the one that goes on. */
static struct finding *plan_of(const struct ctp *c, uint32_t event, const struct witness *w)
{
	struct candidate cand = {.kind = FINDING_BRANCH, .key = {event}, .nkeys = 1};
	struct finding *f = finding_new();

	f->kind = FINDING_BRANCH;
	schedule_of(c, &cand, w, f);
	merge_renumber(c, f);
	return f;
}

static void ask(struct deep *d, const struct deep_run *r, struct asker *a, struct query *q,
	struct flip flip)
{
	struct model_result res = {0};

	asker_ask(a, q, &res);
	d->st->asked++;
	if (res.answer == ANSWER_YES) {
		flip.plan = plan_of(r->c, flip.event, &res.witness);
		flip.cost = res.witness.events.n;
		vec_push(&d->queue, flip);
		d->st->flips++;
	} else if (res.answer == ANSWER_NO) {
		d->st->impossible++;
	} else {
		d->st->unknown++;
	}
	model_result_release(&res);
}

void flips_of_run(struct deep *d, const struct deep_run *r)
{
	struct model_limits lim = {.seconds = d->opt->predict.query_seconds, .switches = -1};
	struct asker *a = asker_new(
		r->c, MODEL_CTP, &lim, (uint32_t)MIN(d->opt->max_events, UINT32_MAX));
	struct path_names names = {0};
	struct query q = {0};

	vec_each (&r->c->threads, t) {
		const struct ctp_thread *th = &r->c->threads.at[t];

		paths_names(r->c, t, &names);
		for (uint32_t i = 0; i < th->n && !deep_over(d); i++) {
			const struct ctp_event *e = ctp_at(r->c, th->first + i);
			const struct path_node *node = paths_node(&d->paths, names.at[i]);
			uint64_t *asked;

			if (!is_asked(e) || !node || node->ways != 1)
				continue;
			asked = map_put(&d->asked, names.at[i]);
			if (*asked)
				continue;
			*asked = 1;
			query_clear(&q);
			query_at(&q, th->first + i);
			query_holds(&q, term_not(r->c->ts, e->cond));
			ask(d, r, a, &q,
				(struct flip){.node = names.at[i],
					.ways = node->ways,
					.thread = t,
					.event = th->first + i});
		}
	}
	query_release(&q);
	vec_release(&names);
	asker_free(a);
}
