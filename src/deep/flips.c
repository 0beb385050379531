/* Asking questions, and the schedules of what has a witness. */
#include "deep/deep_in.h"

#include "base/clock.h"
#include "deep/workers.h"
#include "explain/places.h"

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
	number_threads_by_group(c, f);
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
	double each, deadline; /* seconds; of the monotonic clock, 0 = none */
	struct bitset answered;
};

struct answer {
	uint32_t answer, cost; /* enum model_answer */
};

/* What is left, but not more than one question gets. */
static double seconds_for(const struct asking *as)
{
	double left = as->deadline - clock_seconds();

	if (!as->deadline || left > as->each)
		return as->each;
	return left > 0.01 ? left : 0.01;
}

/* plan: of a witness. */
static struct answer ask(struct asking *as, uint32_t i, struct finding **plan)
{
	const struct question *qu = &as->qs->at[i];
	struct model_result res = {0};
	struct query q = {0};
	struct answer out;

	make_query(qu, &q);
	asker_seconds(as->a, seconds_for(as));
	asker_ask(as->a, &q, &res);
	/* a window that is not the whole says nothing of the rest */
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
	if (a.answer != ANSWER_UNKNOWN)
		bitset_add(&as->answered, i);
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
	} else {
		d->st->impossible += a.answer == ANSWER_NO;
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
	const struct asking *as = ctx;

	return deep_over(as->d) || (as->deadline && clock_seconds() > as->deadline);
}

enum { MANY = 16, SECONDS = 10 };

static void ask_here(struct asking *as)
{
	for (uint32_t i = 0; i < as->qs->n && !is_over(as); i++) {
		struct finding *plan;
		struct answer a = ask(as, i, &plan);

		take(as, i, a, plan);
	}
}

static double deadline_of(const struct deep *d, struct ask_how how)
{
	double own = how.all > 0 ? clock_seconds() + how.all : 0;

	return !own ? d->deadline : d->deadline && d->deadline < own ? d->deadline : own;
}

void flips_ask(struct deep *d, const struct ctp *c, struct questions *qs, struct ask_how how)
{
	struct model_limits lim = {
		.memory = d->opt->predict.memory, .switches = -1, .fold = true};
	struct asking as = {.d = d,
		.c = c,
		.qs = qs,
		.each = how.each > 0 ? how.each : SECONDS,
		.deadline = deadline_of(d, how)};
	struct workers_do w = {.work = work, .done = done, .over = is_over, .ctx = &as};
	uint32_t n = 0;

	if (!qs->n)
		return;
	as.a = asker_new(c, MODEL_CTP, &lim,
		how.windows ? 0 : (uint32_t)MIN(d->opt->max_events, UINT32_MAX));
	if (d->opt->jobs > 1 && qs->n >= MANY)
		workers_run(&w, qs->n, d->opt->jobs);
	else
		ask_here(&as);
	vec_each (qs, i)
		if (!bitset_has(&as.answered, i))
			qs->at[n++] = qs->at[i];
	qs->n = n;
	asker_free(as.a);
	bitset_release(&as.answered);
}
