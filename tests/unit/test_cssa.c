/*
 * The second encoding (model/cssa.h): against every interleaving of random programs (ctp_brute.h),
 * with no executor in between, and against the first encoding on larger ones.
 */
#include "base/base.h"
#include "base/vec.h"
#include "model/cssa.h"
#include "model/model_internal.h"
#include "ctp_brute.h"
#include "ctp_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { QUERIES = 4, ENOUGH = 150 /* programs of one shape */ };

/* --seed S --count N: N seeds from S on for each test in place of the usual ones, for a campaign. */
static uint64_t first_seed, n_seeds;

static void seeds(uint64_t *from, uint64_t *n)
{
	if (!n_seeds)
		return;
	*from += 1000 + first_seed;
	*n = n_seeds;
}

struct trial {
	struct ctp *c;
	struct query q[QUERIES];
	int32_t least[QUERIES];
	uint64_t seed;
	enum model_kind kind;
};

enum shape { ANY, MERGED, CONDITIONS, SPINS };

/* False: this seed makes no program of the shape. */
static bool trial_init(
	struct trial *t, uint64_t seed, enum shape shape, enum model_kind kind, uint32_t events)
{
	struct rng r = rng_seed(seed);
	struct ctp_random_options opt = {.events = events,
		.odd = shape == ANY && rng_chance(&r, 25),
		.conditions = shape == CONDITIONS,
		.rich = shape == ANY && seed % 2};

	*t = (struct trial){.seed = seed, .kind = kind};
	t->c = ctp_random(&r, &opt);
	if (shape == MERGED && !ctp_random_merge(&r, t->c)) {
		ctp_random_free(t->c);
		return false;
	}
	for (uint32_t i = 0; i < QUERIES; i++)
		(shape == CONDITIONS ? ctp_random_sleepers
			: shape == SPINS ? ctp_random_spinners
					 : ctp_random_query)(&r, t->c, &t->q[i]);
	return true;
}

static void trial_release(struct trial *t)
{
	for (uint32_t i = 0; i < QUERIES; i++)
		query_release(&t->q[i]);
	ctp_random_free(t->c);
}

static void wrong(
	const struct trial *t, uint32_t i, const char *what, int answer, const struct vec_u32 *events)
{
	ctp_random_print(t->c, &t->q[i]);
	fprintf(stderr, "seed %lu query %u kind %d: twin %d, answer %d: %s\nwitness:", t->seed, i,
		t->kind, t->least[i], answer, what);
	vec_each (events, k)
		fprintf(stderr, " %u", events->at[k]);
	fprintf(stderr, "\n");
	fail();
}

struct counts {
	uint64_t programs, yes, no, unknown;
};

/* The answer of the second encoding, and then its linearization in the executor. */
static enum sat_result decide(struct trial *t, struct cssa *z, struct sim *sim, uint32_t i,
	struct counts *n)
{
	struct model_limits lim = {.switches = -1, .seconds = 60};
	struct vec_u32 events = {0};
	const char *why, *not;
	uint32_t at;
	enum sat_result r = cssa_decide(z, &t->q[i], &lim, &events, &why);

	if (t->least[i] != BRUTE_TOO_MANY &&
		r != SAT_UNKNOWN && r != (t->least[i] >= 0 ? SAT_SAT : SAT_UNSAT))
		wrong(t, i, "the twin disagrees", r, &events);
	not = r == SAT_SAT ? sim_check(sim, 0, events.at, events.n, &t->q[i], &at) : NULL;
	if (not)
		wrong(t, i, not, r, &events);
	n->yes += r == SAT_SAT;
	n->no += r == SAT_UNSAT;
	n->unknown += r == SAT_UNKNOWN;
	vec_release(&events);
	return r;
}

static void compare_twin(enum shape shape, enum model_kind kind, uint64_t from, uint64_t n,
	uint32_t events)
{
	struct counts counts = {0};

	seeds(&from, &n);
	for (uint64_t seed = from; seed < from + n; seed++) {
		struct trial t;
		struct facts *f;
		struct cssa *z;
		struct sim *sim;

		if (!trial_init(&t, seed, shape, kind, events))
			continue;
		counts.programs++;
		ctp_brute(t.c, kind, 0, UINT32_MAX, t.q, QUERIES, t.least);
		z = cssa_new(t.c, kind);
		f = facts_new(t.c);
		sim = sim_new(f, kind);
		for (uint32_t i = 0; i < QUERIES; i++)
			if (t.q[i].clauses.n)
				decide(&t, z, sim, i, &counts);
		sim_free(sim);
		facts_free(f);
		cssa_free(z);
		trial_release(&t);
	}
	n = counts.programs; /* both answers happen often, else nothing was tried */
	assert_true(n_seeds || (n && counts.yes > n / 8 && counts.no > n / 8));
	assert_int_equal(counts.unknown, 0);
}

static void twin(void **state)
{
	(void)state;
	compare_twin(ANY, MODEL_CTP, 1, 60, 12);
	compare_twin(ANY, MODEL_CTP, 1000001, 20, 16);
}

static void twin_mcm(void **state)
{
	(void)state;
	compare_twin(ANY, MODEL_MCM, 4000001, 25, 12);
}

static void twin_control(void **state)
{
	(void)state;
	compare_twin(ANY, MODEL_CONTROL, 5000001, 25, 12);
}

static void twin_merged(void **state)
{
	(void)state;
	compare_twin(MERGED, MODEL_CTP, 8000001, 60, 14);
}

static void twin_spins(void **state)
{
	(void)state;
	compare_twin(SPINS, MODEL_CTP, 11000001, 40, 16);
}

static void twin_asleep(void **state)
{
	(void)state;
	compare_twin(CONDITIONS, MODEL_CTP, 10000001, 50, 18);
}

/* ---- larger programs: the two encodings ----------------------------------------------------- */

/* Both encodings through the asker, as commands ask them: windows, lemmas, refutations and all. */
static void compare_encodings(enum shape shape, uint64_t from, uint64_t n)
{
	struct model_limits lim = {.switches = -1, .seconds = 60}, second = lim;
	struct counts counts = {0};

	second.encoding = ENCODING_CSSA;
	seeds(&from, &n);
	for (uint64_t seed = from; seed < from + n && counts.programs < ENOUGH; seed++) {
		static const enum model_kind kinds[] = {
			MODEL_CTP, MODEL_CTP, MODEL_CTP, MODEL_MCM, MODEL_CONTROL};
		enum model_kind kind = kinds[seed % ARRAY_SIZE(kinds)];
		struct trial t;
		struct asker *a, *b;

		if (!trial_init(&t, seed, shape, kind, 20 + seed % 41))
			continue;
		counts.programs++;
		a = asker_new(t.c, kind, &lim, 3000);
		b = asker_new(t.c, kind, &second, 3000);
		for (uint32_t i = 0; i < QUERIES; i++) {
			struct model_result x, y;

			if (!t.q[i].clauses.n)
				continue;
			asker_ask(a, &t.q[i], &x);
			asker_ask(b, &t.q[i], &y);
			if (x.answer != y.answer && x.answer != ANSWER_UNKNOWN &&
				y.answer != ANSWER_UNKNOWN)
				wrong(&t, i, x.stage, (int)x.answer,
					x.answer == ANSWER_YES ? &x.witness.events : &y.witness.events);
			counts.yes += y.answer == ANSWER_YES;
			counts.no += y.answer == ANSWER_NO;
			counts.unknown += y.answer == ANSWER_UNKNOWN || x.answer == ANSWER_UNKNOWN;
			model_result_release(&x);
			model_result_release(&y);
		}
		asker_free(a);
		asker_free(b);
		trial_release(&t);
	}
	n = counts.programs;
	print_message("# %u programs: %u yes, %u no, %u unknown\n", (unsigned)n, (unsigned)counts.yes,
		(unsigned)counts.no, (unsigned)counts.unknown);
	assert_true(n_seeds || (n && counts.yes > n / 8 && counts.no > n / 8));
	assert_true(counts.unknown <= n / 50 + 1);
}

static void agreement(void **state)
{
	(void)state;
	compare_encodings(ANY, 20000001, 150);
	compare_encodings(MERGED, 21000001, 3000);
	compare_encodings(CONDITIONS, 22000001, 40);
}

/* What the encoding cannot express is unknown, with the reason. */
static void unknown_with_a_reason(void **state)
{
	struct model_limits lim = {.switches = 0, .encoding = ENCODING_CSSA};
	uint32_t bounded = 0;

	(void)state;
	for (uint64_t seed = 23000001; seed < 23000041; seed++) {
		struct trial t;
		struct asker *a;

		assert_true(trial_init(&t, seed, ANY, MODEL_CTP, 12));
		ctp_brute(t.c, MODEL_CTP, 0, UINT32_MAX, t.q, QUERIES, t.least);
		a = asker_new(t.c, MODEL_CTP, &lim, 3000);
		for (uint32_t i = 0; i < QUERIES; i++) {
			struct model_result r;

			asker_ask(a, &t.q[i], &r);
			if (t.least[i] < 0)
				assert_int_equal(r.answer, ANSWER_NO);
			if (t.least[i] > 0) { /* more switches than the bound */
				assert_int_equal(r.answer, ANSWER_UNKNOWN);
				assert_non_null(r.why);
				bounded++;
			}
			model_result_release(&r);
		}
		asker_free(a);
		trial_release(&t);
	}
	assert_true(bounded > 5);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twin),
		cmocka_unit_test(twin_mcm),
		cmocka_unit_test(twin_control),
		cmocka_unit_test(twin_merged),
		cmocka_unit_test(twin_asleep),
		cmocka_unit_test(twin_spins),
		cmocka_unit_test(agreement),
		cmocka_unit_test(unknown_with_a_reason),
	};

	if (argc == 5) {
		first_seed = strtoull(argv[2], NULL, 10);
		n_seeds = strtoull(argv[4], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
