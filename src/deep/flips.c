/* Asking questions, and the schedules of what has a witness. */
#include "deep/deep_in.h"

#include "deep/workers.h"

#include <string.h>

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
	f->title = xstrdup("a way that no run has gone");
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

/* ---- the answers ------------------------------------------------------------------------- */

struct asking {
	struct deep *d;
	const struct ctp *c;
	const struct questions *qs;
	struct asker *a;
	uint32_t unknown;
};

struct answer {
	uint32_t answer, cost; /* enum model_answer */
};

/* plan: of a witness. */
static struct answer ask(struct asking *as, uint32_t i, struct finding **plan)
{
	const struct question *qu = &as->qs->at[i];
	struct model_result res = {0};
	struct query q = {0};
	struct answer out;

	make_query(qu, &q);
	asker_ask(as->a, &q, &res);
	/* a window that is not the whole says nothing */
	out.answer = res.answer == ANSWER_NO && res.bounded ? ANSWER_UNKNOWN : res.answer;
	out.cost = res.witness.events.n;
	*plan = res.answer == ANSWER_YES ? plan_of(as->c, qu->event, &res.witness) : NULL;
	query_release(&q);
	model_result_release(&res);
	return out;
}

static bool is_queued(const struct deep *d, const struct question *qu)
{
	vec_each (&d->queue, i)
		if (d->queue.at[i].node == qu->node && d->queue.at[i].ways == qu->ways)
			return true;
	return false;
}

static void take(struct asking *as, uint32_t i, struct answer a, struct finding *plan)
{
	const struct question *qu = &as->qs->at[i];
	struct deep *d = as->d;

	d->st->asked++;
	if (plan && is_queued(d, qu)) {
		finding_free(plan);
	} else if (plan) {
		vec_push(&d->queue, (struct flip){.node = qu->node,
					    .ways = qu->ways,
					    .fails = qu->fails,
					    .fresh = qu->fresh,
					    .plan = plan,
					    .cost = a.cost});
		d->st->flips++;
	} else if (a.answer == ANSWER_NO) {
		d->st->impossible++;
	} else {
		d->st->unknown++;
		as->unknown++;
	}
}

static void work(void *ctx, uint32_t i, struct strbuf *out)
{
	struct finding *plan;
	struct answer a = ask(ctx, i, &plan);

	strbuf_add(out, (const char *)&a, sizeof a);
	if (plan) {
		finding_to_json(plan, out);
		finding_free(plan);
	}
}

static void done(void *ctx, uint32_t i, const char *text, size_t n)
{
	struct answer a;
	struct finding *plan = NULL;

	memcpy(&a, text, sizeof a);
	if (n > sizeof a)
		plan = finding_from_json(text + sizeof a, n - sizeof a, "an answer");
	take(ctx, i, a, plan);
}

static bool is_over(void *ctx)
{
	return deep_over(((struct asking *)ctx)->d);
}

enum { MANY = 16 };

uint32_t flips_ask(struct deep *d, const struct ctp *c, const struct questions *qs)
{
	struct model_limits lim = {.seconds = d->opt->predict.query_seconds,
		.memory = d->opt->predict.memory,
		.switches = -1};
	struct asking as = {.d = d, .c = c, .qs = qs};
	struct workers_do w = {.work = work, .done = done, .over = is_over, .ctx = &as};
	uint32_t left = 0;

	if (!qs->n)
		return 0;
	as.a = asker_new(c, MODEL_CTP, &lim, (uint32_t)MIN(d->opt->max_events, UINT32_MAX));
	if (d->opt->jobs > 1 && qs->n >= MANY) {
		left = workers_run(&w, qs->n, d->opt->jobs);
	} else {
		for (uint32_t i = 0; i < qs->n; i++) {
			struct finding *plan;
			struct answer a;

			if (deep_over(d)) {
				left = qs->n - i;
				break;
			}
			a = ask(&as, i, &plan);
			take(&as, i, a, plan);
		}
	}
	asker_free(as.a);
	d->left += deep_over(d) ? left : 0;
	return as.unknown + left;
}
