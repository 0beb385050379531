/*
 * The query front against trying everything: all orders of a few nodes, all values of a few small
 * symbols and booleans. Each problem goes through every stage: lazy with a judge that tries all
 * values, eager, and Z3.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/solve.h"
#include "smt/z3_solver.h"
#include "gen_term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum {
	NODES = 4,
	PAIRS = NODES * (NODES - 1),
	FREE = 3,
	MAX_TERMS = 12,
	MAX_LITS = 40,
	MAX_CLAUSES = 60
};

/* literals of the problem are 2 * index + negated; indices: pairs, free ones, terms */
struct mixed {
	struct terms *ts;
	struct gen_term g;
	struct term_assign as;
	unsigned n_terms, n_clauses, n_lits;
	term_t term[MAX_TERMS];
	struct {
		unsigned n;
		uint8_t l[3];
	} clause[MAX_CLAUSES];
	uint8_t half[FREE][2]; /* a free literal that, if true, orders these two nodes */
	/* of the solver under test */
	struct solve *q;
	lit_t lit[MAX_LITS];
	unsigned judged;
};

struct world {
	uint8_t pos[NODES];
	uint32_t truth; /* by index */
};

static void pair_of(unsigned i, unsigned *a, unsigned *b)
{
	*a = i / (NODES - 1);
	*b = i % (NODES - 1);
	*b += *b >= *a;
}

static bool holds(const struct world *w, unsigned l)
{
	return (w->truth >> (l >> 1) & 1) != (l & 1);
}

static bool fits(const struct mixed *m, const struct world *w, const uint8_t *assume, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!holds(w, assume[i]))
			return false;
	for (unsigned i = 0; i < m->n_clauses; i++) {
		bool ok = false;

		for (unsigned k = 0; k < m->clause[i].n; k++)
			ok = ok || holds(w, m->clause[i].l[k]);
		if (!ok)
			return false;
	}
	for (unsigned i = 0; i < FREE; i++)
		if (w->truth >> (PAIRS + i) & 1 && w->pos[m->half[i][0]] >= w->pos[m->half[i][1]])
			return false;
	return true;
}

/* values of the symbols, as one number */
static unsigned value_bits(const struct mixed *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < GEN_SYMS; i++)
		n += m->g.pool.at[i].width;
	return n;
}

static void set_values(struct mixed *m, uint32_t all)
{
	for (unsigned i = 0; i < GEN_SYMS; i++) {
		term_assign_set(&m->as, m->g.pool.at[i].t, all);
		all >>= m->g.pool.at[i].width;
	}
}

static uint32_t term_truth(struct mixed *m, uint32_t values)
{
	uint32_t t = 0;

	set_values(m, values);
	for (unsigned i = 0; i < m->n_terms; i++)
		t |= (uint32_t)term_value(&m->as, m->term[i]) << (PAIRS + FREE + i);
	return t;
}

static bool brute(struct mixed *m, const uint8_t *assume, unsigned n)
{
	static const uint8_t digits[] = {0, 1, 2, 3};
	uint32_t truths[1 << 10], n_values = 1u << value_bits(m);

	assert_true(n_values <= ARRAY_SIZE(truths));
	for (uint32_t v = 0; v < n_values; v++)
		truths[v] = term_truth(m, v);
	for (unsigned code = 0; code < 256; code++) {
		struct world w;
		uint32_t seen = 0, orders = 0;

		for (unsigned i = 0; i < NODES; i++) {
			w.pos[i] = digits[code >> 2 * i & 3];
			seen |= 1u << w.pos[i];
		}
		if (seen != (1u << NODES) - 1)
			continue;
		for (unsigned i = 0; i < PAIRS; i++) {
			unsigned a, b;

			pair_of(i, &a, &b);
			orders |= (uint32_t)(w.pos[a] < w.pos[b]) << i;
		}
		for (uint32_t free = 0; free < 1u << FREE; free++)
			for (uint32_t v = 0; v < n_values; v++) {
				w.truth = orders | free << PAIRS | truths[v];
				if (fits(m, &w, assume, n))
					return true;
			}
	}
	return false;
}

static void generate(struct mixed *m, uint64_t seed)
{
	struct rng *r = &m->g.rng;

	*m = (struct mixed){.ts = terms_new()};
	for (uint64_t s = seed;; s += 1000003) {
		gen_term_init(&m->g, m->ts, s, 3);
		if (value_bits(m) <= 9)
			break;
		gen_term_release(&m->g);
	}
	term_assign_init(&m->as, m->ts);
	while (m->g.pool.n < 40)
		gen_term_step(&m->g);
	vec_each (&m->g.pool, i) {
		u128 k;

		if (m->g.pool.at[i].width == 1 && m->n_terms < MAX_TERMS &&
			!term_is_const(m->ts, m->g.pool.at[i].t, &k))
			m->term[m->n_terms++] = m->g.pool.at[i].t;
	}
	m->n_lits = PAIRS + FREE + m->n_terms;
	for (unsigned i = 0; i < FREE; i++) {
		m->half[i][0] = (uint8_t)rng_below(r, NODES);
		m->half[i][1] = (uint8_t)rng_below(r, NODES);
	}
}

static void degenerate(struct mixed *m)
{
	term_assign_release(&m->as);
	gen_term_release(&m->g);
	terms_free(m->ts);
}

static lit_t lit_of(const struct mixed *m, unsigned l)
{
	return m->lit[l >> 1] ^ (l & 1);
}

static void add_clause(struct mixed *m)
{
	struct rng *r = &m->g.rng;
	unsigned i = m->n_clauses++;

	m->clause[i].n = 2 + rng_below(r, 2);
	for (unsigned k = 0; k < m->clause[i].n; k++)
		m->clause[i].l[k] = (uint8_t)rng_below(r, 2 * m->n_lits);
}

/* the candidate's terms: is there a choice of values that makes them so? */
static enum solve_verdict judge(void *ctx, struct solve *q)
{
	struct mixed *m = ctx;
	uint32_t wanted = 0, mask = ((1u << m->n_terms) - 1) << (PAIRS + FREE);
	lit_t no[MAX_TERMS];

	m->judged++;
	for (unsigned i = 0; i < m->n_terms; i++) {
		lit_t l = m->lit[PAIRS + FREE + i];
		bool v = solve_true(q, l);

		wanted |= (uint32_t)v << (PAIRS + FREE + i);
		no[i] = v ? lit_not(l) : l;
	}
	for (uint32_t v = 0; v < 1u << value_bits(m); v++)
		if ((term_truth(m, v) & mask) == wanted)
			return SOLVE_ACCEPT;
	solve_refute(q, no, m->n_terms);
	return SOLVE_REFUTE;
}

static void put_lits(struct mixed *m)
{
	for (unsigned i = 0; i < NODES; i++)
		solve_node(m->q);
	for (unsigned i = 0; i < PAIRS; i++) {
		unsigned a, b;

		pair_of(i, &a, &b);
		m->lit[i] = solve_before(m->q, a, b);
	}
	for (unsigned i = 0; i < FREE; i++) {
		m->lit[PAIRS + i] = solve_bool(m->q);
		solve_order_if(m->q, m->lit[PAIRS + i], m->half[i][0], m->half[i][1]);
	}
	for (unsigned i = 0; i < m->n_terms; i++) {
		lit_t l = i & 1 ? solve_bool(m->q) : solve_lit(m->q, m->term[i]);

		if (i & 1) { /* the same in two halves */
			solve_assert_if(m->q, l, m->term[i]);
			solve_assert_if(m->q, lit_not(l), term_not(m->ts, m->term[i]));
		}
		m->lit[PAIRS + FREE + i] = l;
	}
}

static void check_model(struct mixed *m, const uint8_t *assume, unsigned n)
{
	struct world w = {.truth = 0};

	for (unsigned i = 0; i < NODES; i++)
		w.pos[i] = (uint8_t)solve_position(m->q, i);
	for (unsigned i = 0; i < m->n_lits; i++)
		w.truth |= (uint32_t)solve_true(m->q, m->lit[i]) << i;
	for (unsigned i = 0; i < PAIRS; i++) {
		unsigned a, b;

		pair_of(i, &a, &b);
		assert_int_equal(w.truth >> i & 1, w.pos[a] < w.pos[b]);
	}
	for (unsigned i = 0; i < m->n_terms; i++) /* judge() has left its values in m->as */
		assert_int_equal(w.truth >> (PAIRS + FREE + i) & 1,
			solve_stats(m->q)->stage == SOLVE_LAZY ? term_value(&m->as, m->term[i])
							       : solve_value(m->q, m->term[i]));
	assert_true(fits(m, &w, assume, n));
}

static void check_core(struct mixed *m, const uint8_t *assume, unsigned n)
{
	uint32_t k;
	const lit_t *core = solve_core(m->q, &k);
	uint8_t back[8];

	assert_true(k <= n);
	for (uint32_t i = 0; i < k; i++) {
		bool given = false;

		for (unsigned j = 0; j < n; j++)
			if (lit_of(m, assume[j]) == core[i]) {
				given = true;
				back[i] = assume[j];
			}
		assert_true(given);
	}
	assert_false(brute(m, back, k));
}

static void run(struct mixed *m, unsigned from, const struct solve_limits *limits,
	const uint8_t *assume, unsigned n, bool expected)
{
	lit_t lits[8];

	for (unsigned i = from; i < m->n_clauses; i++) {
		lit_t l[3];

		for (unsigned k = 0; k < m->clause[i].n; k++)
			l[k] = lit_of(m, m->clause[i].l[k]);
		solve_clause(m->q, l, m->clause[i].n);
	}
	for (unsigned i = 0; i < n; i++)
		lits[i] = lit_of(m, assume[i]);
	assert_int_equal(solve_check(m->q, lits, n, limits), expected ? SAT_SAT : SAT_UNSAT);
	if (expected)
		check_model(m, assume, n);
	else
		check_core(m, assume, n);
}

static void stage(enum solve_stage stage, unsigned rounds)
{
	struct solve_limits limits = {.seconds = 30};
	unsigned n_sat = 0, n_unsat = 0, n_judged = 0;

	if (stage == SOLVE_Z3) {
		limits.gates = 1;
		limits.z3_seconds = 20;
	}
	limits.eager = stage != SOLVE_LAZY;
	for (uint64_t seed = 0; seed < rounds; seed++) {
		struct mixed m;
		unsigned done = 0;

		generate(&m, seed + 31 * (uint64_t)stage);
		m.q = solve_new(m.ts);
		if (stage == SOLVE_LAZY)
			solve_set_refine(m.q, judge, &m);
		put_lits(&m);
		for (unsigned step = 0; step < 4; step++) {
			uint8_t assume[8];
			unsigned n = rng_below(&m.g.rng, 4);
			bool expected;

			for (unsigned k = 4 + rng_below(&m.g.rng, 10); k--;)
				add_clause(&m);
			for (unsigned i = 0; i < n; i++)
				assume[i] = (uint8_t)rng_below(&m.g.rng, 2 * m.n_lits);
			expected = brute(&m, assume, n);
			run(&m, done, &limits, assume, n, expected);
			done = m.n_clauses;
			n_sat += expected;
			n_unsat += !expected;
			if (expected)
				assert_int_equal(solve_stats(m.q)->stage, stage);
		}
		n_judged += m.judged;
		solve_free(m.q);
		degenerate(&m);
	}
	assert_true(n_sat > rounds / 2 && n_unsat > rounds / 2);
	if (stage == SOLVE_LAZY)
		assert_true(n_judged > 2 * n_sat);
}

static void lazy(void **state)
{
	(void)state;
	stage(SOLVE_LAZY, 300);
}

static void eager(void **state)
{
	(void)state;
	stage(SOLVE_EAGER, 300);
}

static void with_z3(void **state)
{
	(void)state;
	stage(SOLVE_Z3, 12);
}

/* refused too often, then decided by circuits; what was refused stays refused */
static enum solve_verdict refuse_all(void *ctx, struct solve *q)
{
	struct mixed *m = ctx;
	lit_t l[MAX_TERMS];

	m->judged++;
	if (solve_stats(q)->stage == SOLVE_EAGER)
		return SOLVE_ACCEPT;
	for (unsigned i = 0; i < m->n_terms; i++) {
		l[i] = m->lit[PAIRS + FREE + i];
		if (solve_true(q, l[i]))
			l[i] = lit_not(l[i]);
	}
	solve_refute(q, l, m->n_terms);
	return SOLVE_REFUTE;
}

static enum solve_verdict no_idea(void *ctx, struct solve *q)
{
	(void)ctx;
	(void)q;
	return SOLVE_GIVE_UP;
}

static void stages(void **state)
{
	struct solve_limits few = {.refinements = 2};
	struct mixed m;

	(void)state;
	generate(&m, 1);
	m.q = solve_new(m.ts);
	put_lits(&m);
	solve_set_refine(m.q, refuse_all, &m);
	assert_int_equal(solve_check(m.q, NULL, 0, &few), SAT_SAT);
	assert_int_equal(solve_stats(m.q)->stage, SOLVE_EAGER);
	assert_int_equal(m.judged, 3);
	solve_set_refine(m.q, no_idea, NULL);
	assert_int_equal(solve_check(m.q, NULL, 0, &few), SAT_UNKNOWN);
	assert_string_equal(solve_why(m.q), "lazy: candidates could not be judged");
	solve_free(m.q);
	degenerate(&m);
}

/* 64 bits of product, and no budget for it */
static void unknown(void **state)
{
	struct solve_limits limits = {.gates = 1000};
	struct terms *ts = terms_new();
	struct solve *q = solve_new(ts);
	term_t x = term_sym(ts, "x", 64), y = term_sym(ts, "y", 64);

	(void)state;
	solve_assert(q, term_eq(ts, term_mul(ts, x, y), term_const(ts, 64, 8633)));
	solve_assert(q, term_ult(ts, x, term_const(ts, 64, 90)));
	solve_assert(q, term_ult(ts, y, term_const(ts, 64, 100)));
	assert_int_equal(solve_check(q, NULL, 0, &limits), SAT_UNKNOWN);
	assert_string_equal(solve_why(q), "eager: circuits too large");
	limits.z3_seconds = 20;
	assert_int_equal(solve_check(q, NULL, 0, &limits), SAT_SAT);
	assert_true(solve_value(q, x) == 89 && solve_value(q, y) == 97);
	solve_free(q);
	terms_free(ts);
}

/* The time ends while circuits are made, in one check and in the next. */
static void time_for_circuits(void **state)
{
	struct solve_limits limits = {.seconds = 0.01, .gates = 1ull << 40};
	struct terms *ts = terms_new();
	struct solve *q = solve_new(ts);
	term_t x = term_sym(ts, "x", 128), y = term_sym(ts, "y", 128);

	(void)state;
	for (unsigned i = 1; i < 1000; i++) {
		y = term_add(ts, term_mul(ts, x, y), term_const(ts, 128, i));
		solve_assert(q, term_ult(ts, y, term_sym(ts, "z", 128)));
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(solve_check(q, NULL, 0, &limits), SAT_UNKNOWN);
		assert_string_equal(solve_why(q), "eager: out of time");
	}
	/* all products have more than 10^7 gates */
	assert_true(solve_stats(q)->gates < 10000000);
	solve_free(q);
	terms_free(ts);
}

/* A set of terms as assumptions: model, core, and the same by Z3. */
static void sets_of_terms(void **state)
{
	struct terms *ts = terms_new();
	term_t x = term_sym(ts, "x", 8), y = term_sym(ts, "y", 8);
	term_t t[] = {term_ult(ts, x, y), term_ult(ts, y, term_const(ts, 8, 9)),
		term_ult(ts, term_const(ts, 8, 7), x), term_ult(ts, y, x)};

	(void)state;
	for (unsigned z3 = 0; z3 < 2; z3++) {
		struct solve *q = solve_new(ts);
		struct solve_limits l = {.z3_seconds = 20, .z3_only = z3};
		struct vec_u32 set = {.at = &t[0].id, .n = 2};

		solve_assume(q, &set);
		assert_int_equal(solve_check(q, NULL, 0, &l), SAT_SAT);
		assert_int_equal(solve_stats(q)->stage, z3 ? SOLVE_Z3 : SOLVE_EAGER);
		assert_true(solve_value(q, x) < solve_value(q, y) && solve_value(q, y) < 9);
		set.n = 3;
		solve_assume(q, &set);
		assert_int_equal(solve_check(q, NULL, 0, &l), SAT_UNSAT);
		assert_int_equal(solve_core_terms(q)->n, 3);
		set.n = 4;
		solve_assume(q, &set);
		assert_int_equal(solve_check(q, NULL, 0, &l), SAT_UNSAT);
		assert_int_equal(solve_dump(q, NULL, 0, SAT_UNKNOWN, "/nonexistent/dump"), -1);
		solve_free(q);
	}
	terms_free(ts);
}

static void dump(void **state)
{
	char path[] = "/tmp/heddle-test-dump-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct strbuf sb = {0}, why = {0};
		struct mixed m;
		bool expected;

		generate(&m, seed + 500);
		m.q = solve_new(m.ts);
		put_lits(&m);
		for (unsigned k = 25; k--;)
			add_clause(&m);
		expected = brute(&m, NULL, 0);
		run(&m, 0, NULL, NULL, 0, expected);
		assert_int_equal(solve_dump(m.q, NULL, 0, SAT_UNKNOWN, path), 0);
		assert_int_equal(strbuf_read_file(&sb, path), 0);
		assert_int_equal(z3_check_text(sb.s, 20, &why), expected ? SAT_SAT : SAT_UNSAT);
		strbuf_release(&sb);
		strbuf_release(&why);
		solve_free(m.q);
		degenerate(&m);
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lazy),
		cmocka_unit_test(eager),
		cmocka_unit_test(with_z3),
		cmocka_unit_test(stages),
		cmocka_unit_test(unknown),
		cmocka_unit_test(time_for_circuits),
		cmocka_unit_test(sets_of_terms),
		cmocka_unit_test(dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
