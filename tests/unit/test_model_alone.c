/*
 * The executor of linearizations (model/simulate.h) and the encoding (model/model_internal.h), each
 * alone against the slow twin (ctp_brute.h). Together they hide each other's mistakes: an assignment that
 * the executor refuses is asked again with more constraints, so an encoding that lacks some still gives
 * the right answer, and an executor that refuses too much is believed.
 */
#include "base/base.h"
#include "base/vec.h"
#include "model/model_internal.h"
#include "ctp_brute.h"
#include "ctp_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { QUERIES = 4 };
enum shape { ANY, MERGED, CONDITIONS };

static uint64_t rounds(uint64_t usual)
{
	const char *n = getenv("MODEL_ROUNDS");

	return n ? strtoull(n, NULL, 10) : usual;
}

/* NULL: this seed makes no program of the shape. */
static struct ctp *random_program(
	struct rng *r, enum shape shape, uint32_t events, struct query q[QUERIES])
{
	struct ctp_random_options opt = {.events = events,
		.odd = shape == ANY && rng_chance(r, 25),
		.conditions = shape == CONDITIONS};
	struct ctp *c = ctp_random(r, &opt);

	if (shape == MERGED && !ctp_random_merge(r, c)) {
		ctp_random_free(c);
		return NULL;
	}
	for (uint32_t i = 0; i < QUERIES; i++) {
		q[i] = (struct query){0};
		(shape == CONDITIONS ? ctp_random_sleepers : ctp_random_query)(r, c, &q[i]);
	}
	return c;
}

static void release_program(struct ctp *c, struct query q[QUERIES])
{
	for (uint32_t i = 0; i < QUERIES; i++)
		query_release(&q[i]);
	ctp_random_free(c);
}

static void differ(const struct ctp *c, const struct query *q, uint64_t seed, const char *what,
	const struct vec_u32 *events)
{
	ctp_random_print(c, q);
	fprintf(stderr, "seed %lu: %s; executed:", seed, what);
	vec_each (events, i)
		fprintf(stderr, " %u", events->at[i]);
	fprintf(stderr, "\n");
	fail();
}

/* ---- the executor ------------------------------------------------------------------------ */

struct counts {
	uint64_t programs, can, cannot, yes, no;
};

/* Appends one event that can be executed, chosen at random; false: there is none. Executor and twin must
 * agree about every thread. */
static bool walk_on(const struct ctp *c, struct facts *f, enum model_kind kind, struct rng *r,
	struct brute_walk *w, struct vec_u32 *events, uint64_t seed, struct counts *n)
{
	struct vec_u32 ready = {0};
	bool any;
	uint32_t at;

	vec_each (&c->threads, t) {
		uint32_t next = c->threads.at[t].first;
		struct sim *s = sim_new(f, kind);
		bool can;

		vec_each (events, i)
			next += ctp_at(c, events->at[i])->thread == t;
		if (next < c->threads.at[t].first + c->threads.at[t].n) {
			vec_push(events, next);
			can = !sim_check(s, 0, events->at, events->n, NULL, &at);
			if (can != brute_walk_can(w, next))
				differ(c, NULL, seed, can ? "only the executor executes the last one"
							  : "only the twin executes the last one", events);
			events->n--;
			n->can += can;
			n->cannot += !can;
			if (can)
				vec_push(&ready, next);
		}
		sim_free(s);
	}
	any = ready.n;
	if (any) {
		uint32_t e = ready.at[rng_below(r, ready.n)];

		brute_walk_step(w, e);
		vec_push(events, e);
	}
	vec_release(&ready);
	return any;
}

static void compare_executor(enum shape shape, enum model_kind kind, uint64_t from, uint64_t n)
{
	struct counts counts = {0};

	for (uint64_t seed = from; seed < from + n; seed++) {
		struct rng r = rng_seed(seed);
		struct query q[QUERIES];
		struct ctp *c = random_program(&r, shape, 18, q);
		struct vec_u32 events = {0};
		struct brute_walk *w;
		struct facts *f;
		struct sim *s;

		if (!c)
			continue;
		counts.programs++;
		f = facts_new(c);
		w = brute_walk_new(c, kind, q, QUERIES);
		s = sim_new(f, kind);
		for (uint32_t k = rng_below(&r, c->events.n + 1);
			k-- > 0 && walk_on(c, f, kind, &r, w, &events, seed, &counts);)
			;
		for (uint32_t i = 0; i < QUERIES; i++) {
			uint32_t at;
			bool yes = !sim_check(s, 0, events.at, events.n, &q[i], &at);

			if (yes != brute_walk_satisfies(w, &q[i]))
				differ(c, &q[i], seed, yes ? "only for the executor the query holds"
							   : "only for the twin the query holds", &events);
			counts.yes += yes;
			counts.no += !yes;
		}
		sim_free(s);
		brute_walk_free(w);
		facts_free(f);
		vec_release(&events);
		release_program(c, q);
	}
	n = counts.programs; /* all happen often, else nothing was tried */
	assert_true(n && counts.can > n && counts.cannot > n / 4 && counts.yes > n / 20 &&
		    counts.no > n / 4);
}

static void executor(void **state)
{
	(void)state;
	compare_executor(ANY, MODEL_CTP, 1, rounds(4000));
	compare_executor(MERGED, MODEL_CTP, 1000001, rounds(4000));
	compare_executor(CONDITIONS, MODEL_CTP, 2000001, rounds(2000));
}

static void executor_of_other_models(void **state)
{
	(void)state;
	compare_executor(ANY, MODEL_MCM, 3000001, rounds(1500));
	compare_executor(ANY, MODEL_CONTROL, 4000001, rounds(1500));
}

/* ---- the encoding ------------------------------------------------------------------------ */

/* in place of model_refine(): nothing is executed */
static enum solve_verdict accept_all(void *ctx, struct solve *q)
{
	struct model *m = ctx;

	(void)q;
	model_linearize(m);
	vec_clear(&m->failed);
	return SOLVE_ACCEPT;
}

/* Every guard is encoded, and no assignment of the solver is refused. */
static struct model *unchecked_model(const struct ctp *c, enum model_kind kind)
{
	struct model *m = model_alone(c, kind, 0, UINT32_MAX);

	m->only = MODEL_EAGER_ONLY;
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ctp_is_guard(ev->kind) && ev->cond.id &&
			(kind == MODEL_CTP || (kind == MODEL_MCM && facts_is_property(ev->kind))))
			model_guard(m, e);
	}
	solve_set_refine(m->q, accept_all, m);
	return m;
}

static void compare_encoding(enum shape shape, enum model_kind kind, uint64_t from, uint64_t n)
{
	struct model_limits lim = {.switches = -1};
	uint64_t yes = 0, no = 0;

	for (uint64_t seed = from; seed < from + n; seed++) {
		struct rng r = rng_seed(seed);
		struct query q[QUERIES];
		int32_t least[QUERIES];
		struct ctp *c = random_program(&r, shape, 13, q);
		struct model *m;

		if (!c)
			continue;
		ctp_brute(c, kind, 0, UINT32_MAX, q, QUERIES, least);
		m = unchecked_model(c, kind);
		for (uint32_t i = 0; i < QUERIES; i++) {
			struct model_result res;

			if (least[i] == BRUTE_TOO_MANY || !q[i].clauses.n)
				continue;
			model_ask(m, &q[i], &lim, &res);
			if (res.answer != (least[i] >= 0 ? ANSWER_YES : ANSWER_NO))
				differ(c, &q[i], seed, res.answer == ANSWER_YES
							       ? "only the encoding says yes"
							       : "only the twin says yes", &res.witness.events);
			yes += res.answer == ANSWER_YES;
			no += res.answer == ANSWER_NO;
			model_result_release(&res);
		}
		model_alone_free(m);
		release_program(c, q);
	}
	assert_true(yes > n / 8 && no > n / 8);
}

static void encoding(void **state)
{
	(void)state;
	compare_encoding(ANY, MODEL_CTP, 5000001, rounds(1500));
	compare_encoding(MERGED, MODEL_CTP, 6000001, rounds(1500));
	compare_encoding(CONDITIONS, MODEL_CTP, 7000001, rounds(1000));
}

static void encoding_of_other_models(void **state)
{
	(void)state;
	compare_encoding(ANY, MODEL_MCM, 8000001, rounds(800));
	compare_encoding(ANY, MODEL_CONTROL, 9000001, rounds(800));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executor),
		cmocka_unit_test(executor_of_other_models),
		cmocka_unit_test(encoding),
		cmocka_unit_test(encoding_of_other_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
