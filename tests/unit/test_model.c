/*
 * The model against its slow twin (ctp_brute.h) on random programs and queries: every stage, every
 * kind of model, every bound on switches.
 */
#include "base/base.h"
#include "base/vec.h"
#include "deep/deep_internal.h"
#include "model/model_internal.h"
#include "ctp_brute.h"
#include "ctp_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { QUERIES = 6 };

static uint64_t rounds(uint64_t usual)
{
	const char *n = getenv("MODEL_ROUNDS");

	return n ? strtoull(n, NULL, 10) : usual;
}

struct trial {
	struct ctp *c;
	struct query q[QUERIES];
	int32_t least[QUERIES];
	bool skip[QUERIES]; /* the query says nothing */
	uint64_t seed;
	uint32_t from, to;  /* the window, if it is not everything */
};

static void trial_init(struct trial *t, uint64_t seed, uint32_t events, enum model_kind kind)
{
	struct rng r = rng_seed(seed);
	struct ctp_random_options opt = {.events = events, .odd = rng_chance(&r, 25), .rich = seed % 2};

	*t = (struct trial){.seed = seed};
	t->c = ctp_random(&r, &opt);
	for (uint32_t i = 0; i < QUERIES; i++)
		ctp_random_query(&r, t->c, &t->q[i]);
	ctp_brute(t->c, kind, 0, UINT32_MAX, t->q, QUERIES, t->least);
}

static void trial_release(struct trial *t)
{
	for (uint32_t i = 0; i < QUERIES; i++)
		query_release(&t->q[i]);
	ctp_random_free(t->c);
}

static void wrong(const struct trial *t, uint32_t i, const struct model_result *res)
{
	ctp_random_print(t->c, &t->q[i]);
	fprintf(stderr, "seed %lu window %u %u query %u: twin %d, answer %d %s %s bounded %d\nwitness:",
		t->seed, t->from, t->to, i, t->least[i], res->answer, res->stage,
		res->why ? res->why : "", res->bounded);
	vec_each (&res->witness.events, k)
		fprintf(stderr, " %u", res->witness.events.at[k]);
	fprintf(stderr, "\n");
	fail();
}

struct tally {
	uint64_t yes, no;
};

static void count_answer(struct tally *n, const struct model_result *res)
{
	n->yes += res->answer == ANSWER_YES;
	n->no += res->answer == ANSWER_NO;
}

/* Chooses a window that starts and ends anywhere. */
static void choose_window(struct rng *r, struct trial *t)
{
	t->from = rng_below(r, t->c->events.n);
	t->to = t->from + 1 + rng_below(r, t->c->events.n - t->from);
}

/* Asks the queries of the trial in its window, compares with the twin and releases the trial. static_too:
 * what the twin finds must not be refuted statically either. */
static void compare_window(struct trial *t, struct rng *r, bool static_too, struct tally *n)
{
	struct model_limits lim = {.switches = -1};
	uint32_t to = t->to ? t->to : UINT32_MAX;
	struct model *m;

	ctp_brute(t->c, MODEL_CTP, t->from, to, t->q, QUERIES, t->least);
	m = model_alone(t->c, MODEL_CTP, t->from, to);
	m->only = rng_chance(r, 30) ? MODEL_EAGER_ONLY : MODEL_ALL_STAGES;
	for (uint32_t i = 0; i < QUERIES; i++) {
		struct model_result res;

		if (t->least[i] == BRUTE_TOO_MANY || t->skip[i])
			continue;
		model_ask(m, &t->q[i], &lim, &res);
		if (res.answer != (t->least[i] >= 0 ? ANSWER_YES : ANSWER_NO) ||
			(static_too && res.answer == ANSWER_YES &&
				static_refutes(m->f, m->mhb, &t->q[i])))
			wrong(t, i, &res);
		count_answer(n, &res);
		model_result_release(&res);
	}
	model_alone_free(m);
	trial_release(t);
}

static void compare(enum model_kind kind, enum model_stages only, uint64_t from, uint64_t n,
	uint32_t events)
{
	struct model_limits lim = {.switches = -1, .z3_seconds = only == MODEL_Z3_ONLY ? 10 : 0};
	struct tally got = {0};
	uint64_t never = 0;

	for (uint64_t seed = from; seed < from + n; seed++) {
		struct trial t;
		struct model *m;

		trial_init(&t, seed, events, kind);
		m = model_alone(t.c, kind, 0, UINT32_MAX);
		m->only = only;
		for (uint32_t i = 0; i < QUERIES; i++) {
			struct model_result res;

			if (t.least[i] == BRUTE_TOO_MANY)
				continue;
			model_ask(m, &t.q[i], &lim, &res);
			if (res.answer != (t.least[i] >= 0 ? ANSWER_YES : ANSWER_NO) || res.bounded)
				wrong(&t, i, &res);
			if (res.answer == ANSWER_YES && (int32_t)res.witness.switches != t.least[i] &&
				only != MODEL_Z3_ONLY)
				wrong(&t, i, &res);
			if (res.answer == ANSWER_YES && kind != MODEL_CONTROL &&
				lemma_refutes(m->lemmas, &t.q[i]))
				wrong(&t, i, &res);
			never += static_refutes(m->f, m->mhb, &t.q[i]);
			if (res.answer == ANSWER_YES && static_refutes(m->f, m->mhb, &t.q[i]))
				wrong(&t, i, &res);
			count_answer(&got, &res);
			model_result_release(&res);
		}
		model_alone_free(m);
		trial_release(&t);
	}
	assert_true(got.yes > n / 4 && got.no > n / 4 && never > n / 8); /* all happen often, else nothing was tried */
}

static void twin(void **state)
{
	(void)state;
	compare(MODEL_CTP, MODEL_ALL_STAGES, 1, rounds(1500), 12);
	compare(MODEL_CTP, MODEL_ALL_STAGES, 1000001, rounds(400), 16);
}

static void twin_eager(void **state)
{
	(void)state;
	compare(MODEL_CTP, MODEL_EAGER_ONLY, 2000001, rounds(500), 12);
}

static void twin_z3(void **state)
{
	(void)state;
	compare(MODEL_CTP, MODEL_Z3_ONLY, 3000001, MIN(rounds(20), 40), 10);
}

static void twin_mcm(void **state)
{
	(void)state;
	compare(MODEL_MCM, MODEL_ALL_STAGES, 4000001, rounds(500), 12);
}

static void twin_control(void **state)
{
	(void)state;
	compare(MODEL_CONTROL, MODEL_ALL_STAGES, 5000001, rounds(500), 12);
}

static void twin_window(void **state)
{
	uint64_t n = rounds(800);
	struct tally got = {0};

	(void)state;
	for (uint64_t seed = 6000001; seed < 6000001 + n; seed++) {
		struct rng r = rng_seed(seed);
		struct trial t;

		trial_init(&t, seed, 16, MODEL_CTP);
		choose_window(&r, &t);
		compare_window(&t, &r, false, &got);
	}
	assert_true(got.yes > n / 4);
}

/* at most as many switches as it takes, and one fewer */
static void twin_bound(void **state)
{
	uint64_t n = rounds(400), lifted = 0, never = 0;

	(void)state;
	for (uint64_t seed = 7000001; seed < 7000001 + n; seed++) {
		struct trial t;
		struct model *m;

		trial_init(&t, seed, 12, MODEL_CTP);
		m = model_alone(t.c, MODEL_CTP, 0, UINT32_MAX);
		for (uint32_t i = 0; i < QUERIES; i++) {
			struct model_limits lim = {.switches = t.least[i]};
			struct model_result res;

			if (t.least[i] < 0) {
				lim.switches = 2;
				model_ask(m, &t.q[i], &lim, &res);
				if (res.answer != ANSWER_NO)
					wrong(&t, i, &res);
				never++;
				lifted += !res.bounded;
				model_result_release(&res);
				continue;
			}
			model_ask(m, &t.q[i], &lim, &res);
			if (res.answer != ANSWER_YES || (int32_t)res.witness.switches != t.least[i])
				wrong(&t, i, &res);
			model_result_release(&res);
			if (!lim.switches--)
				continue;
			model_ask(m, &t.q[i], &lim, &res);
			if (res.answer != ANSWER_NO || !res.bounded)
				wrong(&t, i, &res);
			model_result_release(&res);
		}
		model_alone_free(m);
		trial_release(&t);
	}
	assert_true(lifted > never / 2); /* the bound is rarely to blame */
}

/* threads that are alternatives, of which one runs */
static void twin_merged(void **state)
{
	uint64_t n = rounds(800);
	struct tally got = {0};

	(void)state;
	for (uint64_t seed = 8000001; seed < 8000001 + n; seed++) {
		struct rng r = rng_seed(seed);
		struct ctp_random_options opt = {.events = 14};
		struct trial t = {.c = ctp_random(&r, &opt), .seed = seed};

		if (!ctp_random_merge(&r, t.c)) {
			trial_release(&t);
			continue;
		}
		for (uint32_t i = 0; i < QUERIES; i++)
			ctp_random_query(&r, t.c, &t.q[i]);
		compare_window(&t, &r, true, &got);
	}
	assert_true(got.yes > n / 8 && got.no > n / 8);
}

/* Trials with queries that `make` makes, half of them in a window. */
static struct tally compare_made(uint64_t first, uint64_t n, uint32_t conditions, bool static_too,
	void (*make)(struct rng *r, const struct ctp *c, struct query *q))
{
	struct tally got = {0};

	for (uint64_t seed = first; seed < first + n; seed++) {
		struct rng r = rng_seed(seed);
		struct ctp_random_options opt = {.events = 18,
			.conditions = conditions == 100 || rng_chance(&r, conditions)};
		struct trial t = {.c = ctp_random(&r, &opt), .seed = seed};

		for (uint32_t i = 0; i < QUERIES; i++) {
			make(&r, t.c, &t.q[i]);
			t.skip[i] = !t.q[i].clauses.n;
		}
		if (rng_chance(&r, 50))
			choose_window(&r, &t);
		compare_window(&t, &r, static_too, &got);
	}
	return got;
}

/* threads that wait for a condition variable, and which of them a signal may leave asleep */
static void twin_asleep(void **state)
{
	uint64_t n = rounds(1500);
	struct tally got = compare_made(10000001, n, 100, true, ctp_random_sleepers);

	(void)state;
	assert_true(got.yes > n / 4 && got.no > n / 4);
}

/* threads whose next rounds would read what the memory has now */
static void twin_spins(void **state)
{
	uint64_t n = rounds(1500);
	struct tally got = compare_made(20000001, n, 30, false, ctp_random_spinners);

	(void)state;
	assert_true(got.yes > n / 8 && got.no > n / 8);
}

/* Another alternative of a thread: the same until a guard, which goes the other way, and then on. False:
 * there is no place for one. */
static bool add_alternative(struct rng *r, struct ctp *c)
{
	uint32_t g = rng_below(r, c->events.n), e, copy, first;
	const struct ctp_thread *th = &c->threads.at[ctp_at(c, g)->thread];

	if (!ctp_is_guard(ctp_at(c, g)->kind) || !ctp_at(c, g)->cond.id || c->events.n > 24 ||
		c->threads.n >= 6 || c->accesses.n > 24)
		return false;
	if (g + 1 == th->first + th->n)
		return false;
	e = g + 1 + rng_below(r, th->first + th->n - g - 1);
	first = th->first;
	c->threads.at[ctp_at(c, g)->thread].alt = ctp_group(c, ctp_at(c, g)->thread) + 1;
	copy = probe_add(c, e, CTP_FIX, UINT32_MAX);
	vec_last(&c->events) = (struct ctp_event){.kind = CTP_FIX,
		.thread = copy,
		.link.none = CTP_NONE,
		.region = CTP_NONE,
		.block = CTP_NONE,
		.rank = UINT32_MAX,
		.cond = term_const(c->ts, 1, 1)};
	g = c->threads.at[copy].first + (g - first);
	c->events.at[g].cond = term_not(c->ts, c->events.at[g].cond);
	return true;
}

static struct model *folded_model(struct ctp *c)
{
	struct facts *f = facts_new(c);
	struct mhb *mhb = mhb_of(f);

	f->fold = true;
	return model_of(
		f, mhb, lemmas_new(f, mhb), sim_new(f, MODEL_CTP), MODEL_CTP, 0, UINT32_MAX);
}

/* alternatives that begin alike, which have that once */
static void twin_folded(void **state)
{
	struct model_limits lim = {.switches = -1};
	struct tally got = {0};
	uint64_t n = rounds(800), folded = 0;

	(void)state;
	for (uint64_t seed = 9000001; seed < 9000001 + n; seed++) {
		struct rng r = rng_seed(seed);
		struct ctp_random_options opt = {.events = 12};
		struct trial t = {.c = ctp_random(&r, &opt), .seed = seed};
		struct model *m;
		bool some = false;

		for (uint32_t i = 0; i < 4; i++)
			some |= add_alternative(&r, t.c);
		for (uint32_t i = 0; i < QUERIES; i++) {
			uint32_t e = rng_below(&r, t.c->events.n);
			const struct ctp_event *ev = ctp_at(t.c, e);

			if (ctp_is_guard(ev->kind) && ev->cond.id && rng_chance(&r, 60)) {
				query_at(&t.q[i], e);
				query_holds(&t.q[i], term_not(t.c->ts, ev->cond));
			} else {
				query_run(&t.q[i], e);
			}
		}
		if (some)
			ctp_brute(t.c, MODEL_CTP, 0, UINT32_MAX, t.q, QUERIES, t.least);
		m = some ? folded_model(t.c) : NULL;
		for (uint32_t i = 0; some && i < QUERIES; i++) {
			struct model_result res;

			if (t.least[i] == BRUTE_TOO_MANY || m->f->wrong)
				continue;
			model_ask(m, &t.q[i], &lim, &res);
			if (res.answer != (t.least[i] >= 0 ? ANSWER_YES : ANSWER_NO))
				wrong(&t, i, &res);
			count_answer(&got, &res);
			model_result_release(&res);
		}
		for (uint32_t e = 0; some && e < m->rep.n; e++)
			folded += m->rep.at[e] != e;
		model_alone_free(m);
		trial_release(&t);
	}
	assert_true(got.yes > n / 8 && got.no > n / 8 && folded > n / 4);
}

/* what the maximal causal model has the program has, and what that has the control model has */
static void kinds_nest(void **state)
{
	struct model_limits lim = {.switches = -1};
	uint32_t more[2] = {0};

	(void)state;
	for (uint64_t seed = 9000001; seed < 9000001 + rounds(300); seed++) {
		static const enum model_kind kinds[] = {MODEL_MCM, MODEL_CTP, MODEL_CONTROL};
		struct rng r = rng_seed(seed);
		struct ctp_random_options opt = {.events = 30};
		struct trial t = {.c = ctp_random(&r, &opt), .seed = seed};
		bool was[QUERIES] = {false};

		for (uint32_t i = 0; i < QUERIES; i++)
			ctp_random_query(&r, t.c, &t.q[i]);
		for (uint32_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			struct model *m = model_alone(t.c, kinds[k], 0, UINT32_MAX);

			for (uint32_t i = 0; i < QUERIES; i++) {
				struct model_result res;
				bool yes;

				model_ask(m, &t.q[i], &lim, &res);
				yes = res.answer == ANSWER_YES;
				if (was[i] && !yes)
					wrong(&t, i, &res);
				if (k)
					more[k - 1] += yes && !was[i];
				was[i] = yes;
				model_result_release(&res);
			}
			model_alone_free(m);
		}
		trial_release(&t);
	}
	assert_true(more[0] && more[1]); /* and each has more than the one before */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twin),
		cmocka_unit_test(twin_eager),
		cmocka_unit_test(twin_z3),
		cmocka_unit_test(twin_mcm),
		cmocka_unit_test(twin_control),
		cmocka_unit_test(twin_window),
		cmocka_unit_test(twin_bound),
		cmocka_unit_test(twin_merged),
		cmocka_unit_test(twin_asleep),
		cmocka_unit_test(twin_spins),
		cmocka_unit_test(twin_folded),
		cmocka_unit_test(kinds_nest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
