/* The SAT core against trying all assignments, on many small random problems. */
#include "base/base.h"
#include "base/clock.h"
#include "base/vec.h"
#include "smt/sat.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MAX_VARS = 12, MAX_CLAUSES = 120 };

/* bit i of an assignment is variable i; literals are 2 * i + negated there */
struct cnf {
	unsigned n_vars, n;
	struct {
		unsigned n;
		uint8_t l[5];
	} c[MAX_CLAUSES];
	/* at most `most` of the variables in `among`, which the theory sees to; among 0: none */
	uint32_t among;
	int most;
};

static bool holds(uint32_t a, uint8_t l)
{
	return (a >> (l >> 1) & 1) != (l & 1);
}

static bool satisfies(const struct cnf *f, uint32_t a)
{
	for (unsigned i = 0; i < f->n; i++) {
		bool ok = false;

		for (unsigned k = 0; k < f->c[i].n; k++)
			ok = ok || holds(a, f->c[i].l[k]);
		if (!ok)
			return false;
	}
	return !f->among || __builtin_popcount(a & f->among) <= f->most;
}

static bool brute(const struct cnf *f, const uint8_t *assume, unsigned n)
{
	for (uint32_t a = 0; a < 1u << f->n_vars; a++) {
		bool ok = true;

		for (unsigned i = 0; i < n; i++)
			ok = ok && holds(a, assume[i]);
		if (ok && satisfies(f, a))
			return true;
	}
	return false;
}

static void random_clause(struct cnf *f, struct rng *r, unsigned max_size)
{
	unsigned size = 1 + rng_below(r, max_size);

	if (rng_chance(r, 80) && size < 3)
		size = MIN(3u, max_size);
	f->c[f->n].n = size;
	for (unsigned k = 0; k < size; k++)
		f->c[f->n].l[k] = (uint8_t)rng_below(r, 2 * f->n_vars);
	f->n++;
}

/* -- a theory that counts: at most `most` of some variables -- */

struct counter {
	struct sat *s;
	const struct cnf *f;
	const lit_t *var;
	struct vec_u32 trail; /* true literals, positive ones only count */
	int mode; /* 0 propagates and explains when asked; 1 conflicts only; 2 final check only */
};

static bool counter_assign(void *ctx, lit_t l)
{
	struct counter *c = ctx;
	struct vec_u32 yes = {0};
	bool ok = true;

	vec_push(&c->trail, l);
	if (c->mode == 2)
		return true;
	vec_each (&c->trail, i)
		if (!lit_negated(c->trail.at[i]))
			vec_push(&yes, c->trail.at[i]);
	if (!lit_negated(l) && (int)yes.n > c->f->most) {
		sat_conflict(c->s, yes.at, yes.n);
		c->trail.n--;
		ok = false;
	} else if (c->mode == 0 && (int)yes.n == c->f->most) {
		for (unsigned v = 0; v < c->f->n_vars; v++)
			if (c->f->among >> v & 1 && !sat_current(c->s, c->var[v]))
				sat_imply(c->s, lit_not(c->var[v]), c->trail.n);
	}
	vec_release(&yes);
	return ok;
}

static void counter_backtrack(void *ctx, uint32_t n)
{
	struct counter *c = ctx;

	assert_true(n <= c->trail.n);
	c->trail.n = n;
}

static void counter_explain(void *ctx, lit_t l, uint32_t tag, struct vec_u32 *out)
{
	struct counter *c = ctx;

	assert_true(lit_negated(l));
	for (uint32_t i = 0; i < tag; i++)
		if (!lit_negated(c->trail.at[i]))
			vec_push(out, c->trail.at[i]);
}

static enum sat_final counter_final(void *ctx)
{
	struct counter *c = ctx;
	struct vec_u32 no = {0};

	for (unsigned v = 0; v < c->f->n_vars; v++) {
		assert_int_not_equal(sat_current(c->s, c->var[v]), 0);
		if (c->f->among >> v & 1 && sat_current(c->s, c->var[v]) > 0)
			vec_push(&no, lit_not(c->var[v]));
	}
	if ((int)no.n <= c->f->most) {
		vec_release(&no);
		return SAT_FINAL_ACCEPT;
	}
	assert_int_equal(c->mode, 2);
	/* several clauses at once, not only one: every most + 1 neighbours */
	for (uint32_t i = 0; i + (uint32_t)c->f->most + 1 <= no.n; i++)
		sat_clause(c->s, no.at + i, (uint32_t)c->f->most + 1);
	vec_release(&no);
	return SAT_FINAL_AGAIN;
}

/* -- */

struct checked {
	struct sat *s;
	struct cnf f;
	lit_t var[MAX_VARS];
	struct counter counter;
	unsigned added; /* clauses given to the solver */
};

static lit_t to_lit(const struct checked *c, uint8_t l)
{
	return c->var[l >> 1] ^ (l & 1u);
}

static void start(struct checked *c, struct rng *r)
{
	*c = (struct checked){.s = sat_new()};
	c->f.n_vars = 3 + rng_below(r, MAX_VARS - 2);
	for (unsigned v = 0; v < c->f.n_vars; v++)
		c->var[v] = sat_var(c->s);
}

static void add_counter(struct checked *c, struct rng *r)
{
	struct sat_theory th = {.ctx = &c->counter,
		.assign = counter_assign,
		.backtrack = counter_backtrack,
		.explain = counter_explain,
		.final = counter_final,
		.final_ctx = &c->counter};

	c->counter = (struct counter){
		.s = c->s, .f = &c->f, .var = c->var, .mode = (int)rng_below(r, 3)};
	c->f.among = (uint32_t)rng_u64(r) & ((1u << c->f.n_vars) - 1);
	c->f.most = (int)rng_below(r, 4);
	if (!c->f.among)
		c->f.among = 1;
	if (c->counter.mode == 0 && !c->f.most)
		c->f.most = 1; /* nothing would ever be assigned that implies */
	sat_set_theory(c->s, &th);
	for (unsigned v = 0; v < c->f.n_vars; v++)
		if (c->f.among >> v & 1)
			sat_watch(c->s, lit_var(c->var[v]));
}

static void feed(struct checked *c)
{
	for (; c->added < c->f.n; c->added++) {
		lit_t l[5];

		for (unsigned k = 0; k < c->f.c[c->added].n; k++)
			l[k] = to_lit(c, c->f.c[c->added].l[k]);
		sat_clause(c->s, l, c->f.c[c->added].n);
	}
}

static void check_core(struct checked *c, const uint8_t *assume, unsigned n)
{
	uint32_t m;
	const lit_t *core = sat_core(c->s, &m);
	uint8_t back[MAX_VARS * 2];
	lit_t again[MAX_VARS * 2];

	assert_true(m <= n);
	for (uint32_t i = 0; i < m; i++) {
		bool given = false;

		for (unsigned k = 0; k < n; k++)
			if (to_lit(c, assume[k]) == core[i]) {
				given = true;
				back[i] = assume[k];
			}
		assert_true(given);
		again[i] = core[i];
	}
	assert_false(brute(&c->f, back, m));
	assert_int_equal(sat_solve(c->s, again, m, NULL), SAT_UNSAT);
}

static enum sat_result solve(struct checked *c, struct rng *r)
{
	uint8_t assume[MAX_VARS];
	lit_t lits[MAX_VARS];
	unsigned n = rng_chance(r, 60) ? rng_below(r, 6) : 0;
	enum sat_result got;
	bool expected;

	feed(c);
	for (unsigned i = 0; i < n; i++) {
		assume[i] = (uint8_t)rng_below(r, 2 * c->f.n_vars);
		lits[i] = to_lit(c, assume[i]);
	}
	expected = brute(&c->f, assume, n);
	got = sat_solve(c->s, lits, n, NULL);
	assert_int_equal(got, expected ? SAT_SAT : SAT_UNSAT);
	if (expected) {
		uint32_t a = 0;

		for (unsigned v = 0; v < c->f.n_vars; v++)
			a |= (uint32_t)sat_true(c->s, c->var[v]) << v;
		assert_true(satisfies(&c->f, a));
		for (unsigned i = 0; i < n; i++)
			assert_true(holds(a, assume[i]));
	} else {
		check_core(c, assume, n);
	}
	return got;
}

/* clauses come between solves, until nothing is left */
static void incremental(bool theory, unsigned rounds)
{
	unsigned n_sat = 0, n_unsat = 0;

	for (uint64_t seed = 0; seed < rounds; seed++) {
		struct rng r = rng_seed(seed + (theory ? 1000000 : 0));
		struct checked c;

		start(&c, &r);
		if (theory)
			add_counter(&c, &r);
		for (unsigned step = 0; step < 10; step++) {
			unsigned more = 1 + rng_below(&r, c.f.n_vars);

			while (more-- && c.f.n < MAX_CLAUSES)
				random_clause(&c.f, &r, rng_chance(&r, 5) ? 5 : 3);
			if (solve(&c, &r) == SAT_SAT)
				n_sat++;
			else
				n_unsat++;
		}
		vec_release(&c.counter.trail);
		sat_free(c.s);
	}
	assert_true(n_sat > rounds && n_unsat > rounds);
}

static void random_clauses(void **state)
{
	(void)state;
	incremental(false, 2500);
}

static void with_a_theory(void **state)
{
	(void)state;
	incremental(true, 2500);
}

static lit_t hole(lit_t first, unsigned pigeon, unsigned n, unsigned h)
{
	return first + 2 * (pigeon * n + h);
}

static struct sat *pigeons(unsigned pigeons, unsigned holes, lit_t *first)
{
	struct sat *s = sat_new();
	lit_t l[16];

	*first = 2 * (sat_n_vars(s) + 1);
	for (unsigned i = 0; i < pigeons * holes; i++)
		sat_var(s);
	for (unsigned p = 0; p < pigeons; p++) {
		for (unsigned h = 0; h < holes; h++)
			l[h] = hole(*first, p, holes, h);
		sat_clause(s, l, holes);
		for (unsigned q = 0; q < p; q++)
			for (unsigned h = 0; h < holes; h++) {
				lit_t no[2] = {lit_not(hole(*first, p, holes, h)),
					lit_not(hole(*first, q, holes, h))};

				sat_clause(s, no, 2);
			}
	}
	return s;
}

static void pigeonholes(void **state)
{
	(void)state;
	for (unsigned n = 2; n <= 7; n++) {
		lit_t first;
		struct sat *s = pigeons(n + 1, n, &first);

		assert_int_equal(sat_solve(s, NULL, 0, NULL), SAT_UNSAT);
		sat_free(s);
		s = pigeons(n, n, &first);
		assert_int_equal(sat_solve(s, NULL, 0, NULL), SAT_SAT);
		for (unsigned p = 0; p < n; p++) {
			unsigned in = 0;

			for (unsigned h = 0; h < n; h++)
				in += sat_true(s, hole(first, p, n, h));
			assert_true(in >= 1);
		}
		sat_free(s);
	}
}

static void budgets(void **state)
{
	struct sat_limits few = {.conflicts = 50}, brief = {0};
	lit_t first;
	struct sat *s = pigeons(12, 11, &first);

	(void)state;
	assert_int_equal(sat_solve(s, NULL, 0, &few), SAT_UNKNOWN);
	assert_int_equal(sat_why(s), SAT_WHY_CONFLICTS);
	assert_int_equal(sat_stats(s)->conflicts, 50);
	brief.until = clock_seconds() + 0.05;
	assert_int_equal(sat_solve(s, NULL, 0, &brief), SAT_UNKNOWN);
	assert_int_equal(sat_why(s), SAT_WHY_TIME);
	sat_free(s);
}

static void random_3sat(
	struct sat *s, struct rng *r, unsigned n, unsigned m, const bool *plan, struct vec_u32 *all)
{
	for (unsigned v = 0; v < n; v++)
		sat_var(s);
	while (m) {
		lit_t l[3];
		bool ok = !plan;

		for (unsigned k = 0; k < 3; k++) {
			l[k] = 4 + rng_below(r, 2 * n);
			ok = ok || plan[lit_var(l[k]) - 2] != lit_negated(l[k]);
		}
		if (!ok)
			continue;
		for (unsigned k = 0; k < 3; k++)
			vec_push(all, l[k]);
		sat_clause(s, l, 3);
		m--;
	}
}

/*
 * Larger than brute force reaches, near the threshold of 3-SAT, where the solver restarts and
 * forgets: every model is checked; with a planted solution, "unsatisfiable" is wrong.
 */
static void larger(void **state)
{
	unsigned n_sat = 0, n_unsat = 0;
	uint64_t removed = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct rng r = rng_seed(seed + 77);
		struct sat *s = sat_new();
		unsigned n = 60 + 10 * (unsigned)(seed % 13);
		struct vec_u32 all = {0};
		bool plan[200];
		enum sat_result got;

		for (unsigned v = 0; v < n; v++)
			plan[v] = rng_chance(&r, 50);
		random_3sat(s, &r, n, n * 43 / 10, seed & 1 ? plan : NULL, &all);
		got = sat_solve(s, NULL, 0, NULL);
		if (seed & 1)
			assert_int_equal(got, SAT_SAT);
		n_sat += got == SAT_SAT;
		n_unsat += got == SAT_UNSAT;
		for (uint32_t i = 0; got == SAT_SAT && i < all.n; i += 3)
			assert_true(sat_true(s, all.at[i]) || sat_true(s, all.at[i + 1]) ||
				    sat_true(s, all.at[i + 2]));
		removed += sat_stats(s)->removed;
		vec_release(&all);
		sat_free(s);
	}
	assert_true(n_sat > 33 && n_unsat > 3);
	assert_true(removed > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_clauses),
		cmocka_unit_test(with_a_theory),
		cmocka_unit_test(pigeonholes),
		cmocka_unit_test(budgets),
		cmocka_unit_test(larger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
