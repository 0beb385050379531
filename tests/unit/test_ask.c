/*
 * Questions along random trees of paths, with all layers, against trying all values, and against Z3
 * alone on the whole path without a cache.
 */
#include "base/base.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "smt/ask.h"
#include "smt/z3_solver.h"
#include "gen_term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { GROUPS = 2, MAX_BITS = 12, MAX_PATH = 12 };

struct world {
	struct terms *ts;
	struct gen_term g[GROUPS]; /* each with symbols of its own */
	struct term_assign as;
	struct rng r;
	struct ask *a;
	term_t path[MAX_PATH];
	uint32_t n;
	uint64_t seed;
};

static unsigned bits_of(const struct world *w)
{
	unsigned n = 0;

	for (unsigned k = 0; k < GROUPS; k++)
		for (unsigned i = 0; i < GEN_SYMS; i++)
			n += w->g[k].pool.at[i].width;
	return n;
}

static void drop_groups(struct world *w)
{
	for (unsigned k = 0; k < GROUPS; k++)
		gen_term_release(&w->g[k]);
}

static void start(struct world *w, uint64_t seed, unsigned max_width, unsigned max_bits,
	struct ask_options opt)
{
	*w = (struct world){.ts = terms_new(), .r = rng_seed(seed), .seed = seed};
	for (uint64_t s = seed * GROUPS;; s += 7919) {
		for (unsigned k = 0; k < GROUPS; k++)
			gen_term_init(&w->g[k], w->ts, s + k, max_width);
		if (bits_of(w) <= max_bits)
			break;
		drop_groups(w);
	}
	for (unsigned k = 0; k < GROUPS; k++)
		for (w->g[k].cheap = true; w->g[k].pool.n < 40;)
			gen_term_step(&w->g[k]);
	term_assign_init(&w->as, w->ts);
	w->a = ask_new(w->ts, &opt);
}

static void finish(struct world *w)
{
	ask_free(w->a);
	term_assign_release(&w->as);
	drop_groups(w);
	terms_free(w->ts);
}

static term_t any_term(struct world *w)
{
	struct gen_term *g = &w->g[rng_below(&w->r, GROUPS)];

	return g->pool.at[rng_below(&w->r, g->pool.n)].t;
}

/* of one bit; now and then over symbols of two groups */
static term_t any_condition(struct world *w)
{
	term_t a = any_term(w), b;
	unsigned width = term_width(w->ts, a);

	if (rng_chance(&w->r, 15)) {
		b = any_term(w);
		if (term_width(w->ts, b) == width)
			return rng_chance(&w->r, 50) ? term_ult(w->ts, a, b) : term_eq(w->ts, a, b);
	}
	if (width > 1)
		a = rng_chance(&w->r, 50)
			    ? term_ult(w->ts, a, term_const(w->ts, width, rng_wide(&w->r)))
			    : term_eq(w->ts, a, term_const(w->ts, width, rng_wide(&w->r)));
	return rng_chance(&w->r, 50) ? a : term_not(w->ts, a);
}

/* -- trying all values -- */

struct brute {
	bool any, holds, fails;
	u128 least, most;
};

static void set_all(struct world *w, uint32_t all)
{
	for (unsigned k = 0; k < GROUPS; k++)
		for (unsigned i = 0; i < GEN_SYMS; i++) {
			term_assign_set(&w->as, w->g[k].pool.at[i].t, all);
			all >>= w->g[k].pool.at[i].width;
		}
}

static struct brute try_all(struct world *w, term_t t)
{
	struct brute b = {.least = ~(u128)0};

	for (uint32_t all = 0; all < 1u << bits_of(w); all++) {
		bool on = true;
		u128 v;

		set_all(w, all);
		for (uint32_t i = 0; i < w->n && on; i++)
			on = term_value(&w->as, w->path[i]);
		if (!on)
			continue;
		v = term_value(&w->as, t);
		b.any = true;
		b.holds = b.holds || v;
		b.fails = b.fails || !v;
		b.least = MIN(b.least, v);
		b.most = MAX(b.most, v);
	}
	return b;
}

static void check_model(struct world *w)
{
	struct term_assign as;

	term_assign_init(&as, w->ts);
	assert_int_equal(ask_model(w->a, w->path, w->n, &as), ASK_YES);
	for (uint32_t i = 0; i < w->n; i++)
		assert_true(term_value(&as, w->path[i]));
	term_assign_release(&as);
}

static void check_value(struct world *w)
{
	term_t t = any_term(w), eq;
	u128 v, least, most;
	struct brute b;

	assert_int_equal(ask_value(w->a, w->path, w->n, t, &v), ASK_YES);
	eq = term_eq(w->ts, t, term_const(w->ts, term_width(w->ts, t), v));
	if (!try_all(w, eq).holds)
		fail_msg("seed %lu: a value that cannot be", (unsigned long)w->seed);
	ask_range(w->a, w->path, w->n, t, &least, &most);
	b = try_all(w, t);
	if (b.least != least || b.most != most)
		fail_msg("seed %lu: range %lu %lu, but it is %lu %lu", (unsigned long)w->seed,
			(unsigned long)least, (unsigned long)most, (unsigned long)b.least,
			(unsigned long)b.most);
}

/* a walk down a tree of paths, back to an earlier node now and then */
static void walk(struct world *w, unsigned steps)
{
	for (unsigned s = 0; s < steps; s++) {
		term_t c = any_condition(w);
		struct brute b = try_all(w, c);
		enum ask_answer yes = ask_may(w->a, w->path, w->n, c),
				no = ask_may(w->a, w->path, w->n, term_not(w->ts, c)),
				must = ask_must(w->a, w->path, w->n, c);

		assert_true(b.any);
		if (yes != (b.holds ? ASK_YES : ASK_NO) || no != (b.fails ? ASK_YES : ASK_NO) ||
			must != (b.fails ? ASK_NO : ASK_YES))
			fail_msg("seed %lu, step %u: %d %d %d", (unsigned long)w->seed, s, yes, no,
				must);
		if (rng_chance(&w->r, 30))
			check_model(w);
		if (rng_chance(&w->r, 15))
			check_value(w);
		if (w->n == MAX_PATH || rng_chance(&w->r, 10))
			w->n = rng_below(&w->r, w->n + 1);
		if (term_op(w->ts, c) == TERM_CONST || w->n == MAX_PATH)
			continue;
		if (b.holds && (!b.fails || rng_chance(&w->r, 50)))
			w->path[w->n++] = c;
		else
			w->path[w->n++] = term_not(w->ts, c);
	}
}

static void against_all_values(void **state)
{
	struct ask_stats sum = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct ask_options opt = {
			.no_cache = seed % 4 == 1, .no_independence = seed % 4 == 2};
		struct world w;

		start(&w, seed, 2, MAX_BITS, opt);
		walk(&w, 25);
		sum.by_shape += ask_stats(w.a)->by_shape;
		sum.by_cache += ask_stats(w.a)->by_cache;
		sum.by_model += ask_stats(w.a)->by_model;
		sum.by_solver += ask_stats(w.a)->by_solver;
		assert_int_equal(ask_stats(w.a)->unknown, 0);
		assert_true(ask_stats(w.a)->asked >= 75);
		finish(&w);
	}
	print_message("# shape %lu, cache %lu, model %lu, solver %lu\n", (unsigned long)sum.by_shape,
		(unsigned long)sum.by_cache, (unsigned long)sum.by_model,
		(unsigned long)sum.by_solver);
	assert_true(sum.by_shape > 100 && sum.by_cache > 100 && sum.by_model > 100 &&
		    sum.by_solver > 100);
}

/* -- Z3 alone, with arrays -- */

static term_t array_condition(struct world *w, term_t array)
{
	term_t i, b, v;
	struct gen_term *g = &w->g[rng_below(&w->r, GROUPS)];
	unsigned width;

	if (rng_chance(&w->r, 60)) {
		i = term_const(w->ts, 64, rng_below(&w->r, 6));
	} else {
		v = g->pool.at[rng_below(&w->r, g->pool.n)].t;
		width = term_width(w->ts, v);
		i = width > 64 ? term_trunc(w->ts, v, 64) : term_zext(w->ts, v, 64);
	}
	if (rng_chance(&w->r, 30))
		array = term_write(w->ts, array, term_const(w->ts, 64, rng_below(&w->r, 6)),
			term_const(w->ts, 8, rng_below(&w->r, 4)));
	b = term_read(w->ts, array, i);
	v = term_const(w->ts, 8, rng_below(&w->r, 4));
	return rng_chance(&w->r, 50) ? term_ult(w->ts, b, v) : term_eq(w->ts, b, v);
}

static void against_z3(void **state)
{
	struct ask_options alone = {.no_cache = true, .no_independence = true, .z3_only = true};
	unsigned asked = 0, no = 0;
	double own_s = 0, twin_s = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct world w;
		struct ask *twin;
		term_t array[2];

		start(&w, seed + 5000, seed & 1 ? 8 : 32, 1000, (struct ask_options){0});
		twin = ask_new(w.ts, &alone);
		array[0] = term_fresh_array(w.ts, "a");
		array[1] = term_fresh_array(w.ts, "b");
		for (unsigned s = 0; s < 25; s++) {
			term_t c = rng_chance(&w.r, 60)
					   ? array_condition(&w, array[rng_below(&w.r, 2)])
					   : any_condition(&w);
			enum ask_answer r = ask_may(w.a, w.path, w.n, c),
					t = ask_may(twin, w.path, w.n, c);

			if (r != t || r == ASK_UNKNOWN)
				fail_msg("seed %lu, step %u: %d, Z3 says %d (%s)",
					(unsigned long)w.seed, s, r, t, ask_why(twin));
			asked++;
			no += r == ASK_NO;
			if (rng_chance(&w.r, 20))
				check_model(&w);
			if (w.n == MAX_PATH || rng_chance(&w.r, 10))
				w.n = rng_below(&w.r, w.n + 1);
			c = r == ASK_YES ? c : term_not(w.ts, c);
			if (w.n < MAX_PATH && term_op(w.ts, c) != TERM_CONST &&
				ask_may(w.a, w.path, w.n, c) == ASK_YES)
				w.path[w.n++] = c;
		}
		own_s += ask_stats(w.a)->seconds;
		twin_s += ask_stats(twin)->seconds;
		ask_free(twin);
		finish(&w);
	}
	print_message("# %u questions, %u no; %.2f s here, %.2f s with Z3 alone\n", asked, no, own_s,
		twin_s);
	assert_true(no > 100);
}

/* bytes of one array at constant places do not hang together; a read that varies ties them */
static void bytes_apart(void **state)
{
	struct terms *ts = terms_new();
	struct ask *a = ask_new(ts, &(struct ask_options){0});
	term_t m = term_fresh_array(ts, "m"), i = term_sym(ts, "i", 64), path[3];
	term_t b0 = term_read(ts, m, term_const(ts, 64, 0)),
	       b1 = term_read(ts, m, term_const(ts, 64, 1)), bi = term_read(ts, m, i);
	struct term_assign as;
	u128 v;

	(void)state;
	path[0] = term_eq(ts, b0, term_const(ts, 8, 7));
	path[1] = term_eq(ts, b1, term_const(ts, 8, 9));
	assert_int_equal(ask_value(a, path, 2, b1, &v), ASK_YES);
	assert_true(v == 9);
	/* m[i] = 8 needs an i that is neither */
	assert_int_equal(ask_may(a, path, 2, term_eq(ts, bi, term_const(ts, 8, 8))), ASK_YES);
	path[2] = term_eq(ts, bi, term_const(ts, 8, 8));
	assert_int_equal(ask_must(a, path, 3, term_ne(ts, i, term_const(ts, 64, 0))), ASK_YES);
	assert_int_equal(ask_may(a, path, 3, term_ule(ts, i, term_const(ts, 64, 1))), ASK_NO);
	term_assign_init(&as, ts);
	assert_int_equal(ask_model(a, path, 3, &as), ASK_YES);
	assert_true(term_value_at(&as, m, 0) == 7 && term_value_at(&as, m, 1) == 9);
	term_assign_release(&as);
	ask_free(a);
	terms_free(ts);
}

/* factors of a product of two primes: nobody finds them in that time, and it says so */
static void time_limit(void **state)
{
	struct terms *ts = terms_new();
	struct ask *a = ask_new(ts, &(struct ask_options){.seconds = 0.5});
	term_t x = term_sym(ts, "x", 64), y = term_sym(ts, "y", 64), one = term_const(ts, 128, 1),
	       p = term_mul(ts, term_zext(ts, x, 128), term_zext(ts, y, 128)), c;
	double start = clock_seconds();

	(void)state;
	/* a prime, so that no lucky guess can answer */
	c = term_eq(ts, p, term_const(ts, 128, ((u128)1 << 127) - 1));
	c = term_and(ts, c, term_ult(ts, one, term_zext(ts, x, 128)));
	c = term_and(ts, c, term_ult(ts, one, term_zext(ts, y, 128)));
	assert_int_equal(ask_may(a, NULL, 0, c), ASK_UNKNOWN);
	assert_true(strlen(ask_why(a)) > 0);
	assert_int_equal(ask_stats(a)->unknown, 1);
	print_message("# %.2f seconds: %s\n", clock_seconds() - start, ask_why(a));
	assert_true(clock_seconds() - start < 60);
	ask_free(a);
	terms_free(ts);
}

/*
 * The least value of t is a hard query that uses up the time of ask_range(); the query for the greatest
 * value then has none left. That it was not decided there must not be the answer to a later query.
 */
static void no_time_left(void **state)
{
	struct terms *ts = terms_new();
	struct ask *a = ask_new(ts, &(struct ask_options){.seconds = 0.5});
	term_t x = term_sym(ts, "x", 64), y = term_sym(ts, "y", 64), one = term_const(ts, 64, 1),
	       p = term_mul(ts, term_zext(ts, x, 128), term_zext(ts, y, 128)),
	       c = term_sym(ts, "c", 1), hard, t;
	u128 least, most;

	(void)state;
	hard = term_eq(ts, p, term_const(ts, 128, ((u128)1 << 127) - 1));
	hard = term_and(ts, hard, term_and(ts, term_ult(ts, one, x), term_ult(ts, one, y)));
	t = term_ite(ts, c, term_const(ts, 8, 255), term_const(ts, 8, 7));
	t = term_ite(ts, hard, term_const(ts, 8, 0), t);
	ask_range(a, NULL, 0, t, &least, &most);
	assert_true(least == 0 && most == 255);
	assert_true(ask_stats(a)->unknown >= 2);
	assert_int_equal(
		ask_may(a, NULL, 0, term_eq(ts, t, term_const(ts, 8, 255))), ASK_YES);
	/* a query that was not decided in all of the time is not tried again */
	assert_int_equal(ask_may(a, NULL, 0, hard), ASK_UNKNOWN);
	assert_string_equal(ask_why(a), "it was not decided before");
	ask_free(a);
	terms_free(ts);
}

static void dumped(void **state)
{
	char dir[] = "/tmp/heddle-ask-XXXXXX";
	struct strbuf name = {0}, why = {0};
	struct terms *ts = terms_new();
	struct ask *a;
	term_t x = term_sym(ts, "x", 32), c = term_ult(ts, x, term_const(ts, 32, 9)), path[1] = {c};
	char buf[4096];
	size_t n;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	a = ask_new(ts, &(struct ask_options){.dump = dir});
	assert_int_equal(ask_may(a, path, 1, term_ult(ts, term_const(ts, 32, 11), x)), ASK_NO);
	strbuf_addf(&name, "%s/000001.smt2", dir);
	f = fopen(name.s, "r");
	assert_non_null(f);
	n = fread(buf, 1, sizeof buf - 1, f);
	buf[n] = 0;
	fclose(f);
	assert_int_equal(z3_check_text(buf, 10, &why), SAT_UNSAT);
	unlink(name.s);
	rmdir(dir);
	ask_free(a);
	terms_free(ts);
	strbuf_release(&name);
	strbuf_release(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_all_values),
		cmocka_unit_test(against_z3),
		cmocka_unit_test(bytes_apart),
		cmocka_unit_test(time_limit),
		cmocka_unit_test(no_time_left),
		cmocka_unit_test(dumped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
