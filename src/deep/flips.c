/* Solves flip queries, makes schedules of the witnesses, and keeps the queue of flips. */
#include "deep/deep_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/workers.h"
#include "explain/places.h"

#include <string.h>

void flip_release(struct flip *f)
{
	if (f->plan)
		finding_free(f->plan);
}

/* The schedule of a witness. The thread of the event gets the last segment, so that it continues
 * after the flip. */
static struct finding *make_plan(const struct ctp *c, uint32_t event, const struct witness *w)
{
	struct violation v = {.kind = FAULT_BRANCH, .key = {event}, .nkeys = 1};
	struct finding *f = finding_new();
	uint32_t thread = ctp_group(c, ctp_at(c, event)->thread);
	uint64_t until = 0;

	f->kind = FAULT_BRANCH;
	f->title = xstrdup("a path that was not executed yet");
	schedule_of(c, &v, w, f);
	number_threads_by_group(c, f);
	vec_each (&f->moves, i)
		if (f->moves.at[i].thread == thread)
			until = f->moves.at[i].until;
	if (f->moves.n && vec_last(&f->moves).thread != thread)
		vec_push(&f->moves, (struct finding_move){thread, until});
	return f;
}

static void make_query(const struct flip_query *qu, struct query *q)
{
	query_clear(q);
	if (qu->runs) {
		query_run(q, qu->event);
		return;
	}
	query_at(q, qu->event);
	query_holds(q, qu->holds);
}

/* ---- solving ----------------------------------------------------------------------------- */

struct asking {
	struct deep *d;
	const struct ctp *c;
	const struct flip_queries *qs;
	struct asker *a;
	double each, deadline; /* seconds; of the monotonic clock, 0 = none */
	struct answer *answers; /* by query */
	struct bitset answered;
};

struct answer {
	uint32_t answer, cost; /* enum model_answer; cost: events of the witness */
	bool known;
	struct finding *plan;  /* the schedule of the witness; NULL if there is none */
};

/* Seconds for the next query: as->each, but not more than is left. */
static double next_seconds(const struct asking *as)
{
	double left = as->deadline - clock_seconds();

	if (!as->deadline || left > as->each)
		return as->each;
	return left > 0.01 ? left : 0.01;
}

static struct answer solve_query(struct asking *as, uint32_t i)
{
	const struct flip_query *qu = &as->qs->at[i];
	struct model_result res = {0};
	struct query q = {0};
	struct answer out = {.known = true};

	make_query(qu, &q);
	asker_seconds(as->a, next_seconds(as));
	asker_ask(as->a, &q, &res);
	/* "no" for a window does not hold for the whole run */
	out.answer = res.answer == ANSWER_NO && res.bounded ? ANSWER_UNKNOWN : res.answer;
	out.cost = res.witness.events.n;
	out.plan = res.answer == ANSWER_YES ? make_plan(as->c, qu->event, &res.witness) : NULL;
	query_release(&q);
	model_result_release(&res);
	return out;
}

static bool is_queued(const struct deep *d, const struct flip_query *qu)
{
	vec_each (&d->queue, i)
		if (d->queue.at[i].node == qu->node && d->queue.at[i].ways == qu->ways)
			return true;
	return false;
}

static void add_answer(struct asking *as, uint32_t i, struct answer a)
{
	const struct flip_query *qu = &as->qs->at[i];
	struct deep *d = as->d;

	BUG_ON(i >= as->qs->n);
	BUG_ON((a.plan != NULL) != (a.answer == ANSWER_YES)); /* a flip is a query with a witness */
	d->st->asked++;
	if (a.answer != ANSWER_UNKNOWN)
		bitset_add(&as->answered, i);
	if (a.plan && is_queued(d, qu)) {
		finding_free(a.plan);
	} else if (a.plan) {
		vec_push(&d->queue, (struct flip){.node = qu->node,
					    .ways = qu->ways,
					    .fails = qu->fails,
					    .fresh = qu->fresh,
					    .plan = a.plan,
					    .cost = a.cost});
		d->st->flips++;
	} else {
		d->st->impossible += a.answer == ANSWER_NO;
	}
}

static void work_on_query(void *ctx, uint32_t i, struct strbuf *out)
{
	struct answer a = solve_query(ctx, i);

	strbuf_add(out, (const char *)&a, sizeof a);
	if (a.plan) {
		finding_to_json(a.plan, out);
		finding_free(a.plan);
	}
}

static void receive_answer(void *ctx, uint32_t i, const char *text, size_t n)
{
	struct asking *as = ctx;
	struct answer *a = &as->answers[i];

	BUG_ON(n < sizeof *a);
	memcpy(a, text, sizeof *a);
	a->plan = n > sizeof *a
			  ? finding_from_json(text + sizeof *a, n - sizeof *a, "an answer")
			  : NULL;
}

/* The query stays undecided. */
static void lose_answer(void *ctx, uint32_t i, const char *why)
{
	const struct asking *as = ctx;

	deep_limit(as->d, false, "a query about another path was not decided: %s", why);
	(void)i;
}

static bool must_stop(void *ctx)
{
	const struct asking *as = ctx;

	return deep_must_stop(as->d) || (as->deadline && clock_seconds() > as->deadline);
}

enum { MANY = 16, SECONDS = 10 };

static double get_deadline(const struct deep *d, struct ask_budget budget)
{
	double own = budget.all > 0 ? clock_seconds() + budget.all : 0;

	return !own ? d->deadline : d->deadline && d->deadline < own ? d->deadline : own;
}

void flips_find(
	struct deep *d, const struct ctp *c, struct flip_queries *qs, struct ask_budget budget)
{
	uint32_t jobs = qs->n >= MANY ? d->opt->jobs : 1;
	struct model_limits lim = {
		.memory = asker_memory_share(d->opt->predict.memory, jobs),
		.conflicts = budget.conflicts,
		.switches = -1,
		.fold = true,
		.encoding = d->opt->predict.encoding};
	struct asking as = {.d = d,
		.c = c,
		.qs = qs,
		.each = budget.each > 0 ? budget.each : SECONDS,
		.deadline = get_deadline(d, budget)};
	struct workers_do w = {.work = work_on_query,
		.done = receive_answer,
		.lost = lose_answer,
		.over = must_stop,
		.ctx = &as};
	uint32_t n = 0;

	if (!qs->n)
		return;
	as.a = asker_new(c, MODEL_CTP, &lim,
		budget.windows ? 0 : (uint32_t)MIN(d->opt->max_events, UINT32_MAX));
	as.answers = xcalloc(qs->n, sizeof *as.answers);
	workers_run(&w, qs->n, jobs);
	vec_each (qs, i) /* in the order of the queries, whichever worker was first */
		if (as.answers[i].known)
			add_answer(&as, i, as.answers[i]);
	free(as.answers);
	vec_each (qs, i)
		if (!bitset_has(&as.answered, i))
			qs->at[n++] = qs->at[i];
	qs->n = n;
	asker_free(as.a);
	bitset_release(&as.answered);
}

/* ---- the queue --------------------------------------------------------------------------- */

static bool is_better(const struct flip *x, const struct flip *y)
{
	if (x->fails != y->fails)
		return x->fails;
	return x->fresh != y->fresh ? x->fresh : x->cost < y->cost;
}

static bool is_settled(const struct deep *d, const struct flip *f)
{
	const struct path_node *node = paths_node(&d->paths, f->node);

	return (node && node->ways > f->ways) ||
	       map_get(&d->tried, hash_u64(f->node) + f->ways) != NULL;
}

static struct flip remove_flip(struct flips *q, uint32_t i)
{
	struct flip f;

	BUG_ON(i >= q->n);
	f = q->at[i];
	q->at[i] = vec_last(q);
	q->n--;
	return f;
}

void flips_drop_settled(struct deep *d)
{
	for (uint32_t i = d->queue.n; i-- > 0;)
		if (is_settled(d, &d->queue.at[i])) {
			struct flip f = remove_flip(&d->queue, i);

			flip_release(&f);
		}
}

uint32_t flips_choose(struct deep *d, struct flip *out, uint32_t most)
{
	uint32_t n = 0;

	for (; n < most && d->queue.n; n++) {
		uint32_t best = 0;

		vec_each (&d->queue, i)
			if (is_better(&d->queue.at[i], &d->queue.at[best]))
				best = i;
		out[n] = remove_flip(&d->queue, best);
		for (uint32_t i = 0; i < n; i++)
			if (out[i].node == out[n].node) { /* its run may settle both */
				vec_push(&d->queue, out[n]);
				return n;
			}
	}
	return n;
}
