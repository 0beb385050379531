/* Circuits against the values of terms (gen_term.h), and solving against trying all values. */
#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/blast.h"
#include "gen_term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* the bits of the symbols under assignment k, as assumptions */
static void assume(const struct gen_term *g, struct blast *b, unsigned k, struct vec_u32 *out)
{
	vec_clear(out);
	for (unsigned i = 0; i < GEN_SYMS; i++) {
		const struct gen_entry *e = &g->pool.at[i];

		assert_true(blast_term(b, e->t));
		for (unsigned bit = 0; bit < e->width; bit++)
			vec_push(out, blast_bit(b, e->t, bit) ^ (uint32_t)!(e->v[k] >> bit & 1));
	}
}

static void wrong(const struct gen_term *g, uint32_t i, uint64_t seed, const char *what)
{
	struct strbuf sb = {0};

	term_print(&sb, g->ts, g->pool.at[i].t);
	print_error("seed %lu, entry %u (%s, %u bits), %s: %s\n", (unsigned long)seed, i,
		g->pool.at[i].op, g->pool.at[i].width, what, sb.s);
	fail();
}

/* symbols fixed: every bit of every term is implied, and is the right one */
static void values(void **state)
{
	struct vec_u32 as = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct terms *ts = terms_new();
		struct sat *s = sat_new();
		struct blast *b = blast_new(ts, s, 0);
		struct gen_term g;

		gen_term_init(&g, ts, seed + 900000, seed % 4 == 0 ? 3 : seed % 4 == 1 ? 128 : 24);
		g.cheap = seed % 4 == 1;
		while (g.pool.n < 40)
			gen_term_step(&g);
		vec_each (&g.pool, i)
			assert_true(blast_term(b, g.pool.at[i].t));
		for (unsigned k = 0; k < GEN_VALUES; k++) {
			assume(&g, b, k, &as);
			assert_int_equal(sat_solve(s, as.at, as.n, NULL), SAT_SAT);
			vec_each (&g.pool, i)
				if (blast_value(b, g.pool.at[i].t) != g.pool.at[i].v[k])
					wrong(&g, i, seed, "value");
			/* no other value is possible */
			for (int tries = 0; tries < 5; tries++) {
				uint32_t i = rng_below(&g.rng, g.pool.n);
				unsigned bit = rng_below(&g.rng, g.pool.at[i].width);
				lit_t l = blast_bit(b, g.pool.at[i].t, bit) ^
					  (uint32_t)(g.pool.at[i].v[k] >> bit & 1);

				vec_push(&as, l);
				if (sat_solve(s, as.at, as.n, NULL) != SAT_UNSAT)
					wrong(&g, i, seed, "not a function");
				as.n--;
			}
		}
		gen_term_release(&g);
		blast_free(b);
		sat_free(s);
		terms_free(ts);
	}
	vec_release(&as);
}

static bool brute(
	const struct gen_term *g, term_t t, struct term_assign *as, unsigned sym, bool wanted)
{
	if (sym == GEN_SYMS)
		return (term_value(as, t) != 0) == wanted;
	for (u128 v = 0; v <= term_mask(g->pool.at[sym].width); v++) {
		term_assign_set(as, g->pool.at[sym].t, v);
		if (brute(g, t, as, sym + 1, wanted))
			return true;
	}
	return false;
}

static void solving(void **state)
{
	unsigned n_sat = 0, n_unsat = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 700; seed++) {
		struct terms *ts = terms_new();
		struct sat *s = sat_new();
		struct blast *b = blast_new(ts, s, 0);
		struct term_assign as;
		struct gen_term g;

		gen_term_init(&g, ts, seed + 800000, 2);
		term_assign_init(&as, ts);
		while (g.pool.n < 40)
			gen_term_step(&g);
		vec_each (&g.pool, i) {
			term_t t = g.pool.at[i].t;
			bool wanted = rng_chance(&g.rng, 50), expected;
			lit_t l;
			enum sat_result r;

			if (g.pool.at[i].width != 1 || i < GEN_SYMS)
				continue;
			expected = brute(&g, t, &as, 0, wanted);
			l = blast_lit(b, t) ^ (uint32_t)!wanted;
			r = sat_solve(s, &l, 1, NULL);
			if (r != (expected ? SAT_SAT : SAT_UNSAT))
				wrong(&g, i, seed, "result");
			/* the same, implied */
			l = sat_var(s);
			assert_true(blast_imply(b, l, wanted ? t : term_not(ts, t)));
			r = sat_solve(s, &l, 1, NULL);
			if (r != (expected ? SAT_SAT : SAT_UNSAT))
				wrong(&g, i, seed, "implied");
			n_sat += expected;
			n_unsat += !expected;
			if (!expected)
				continue;
			for (unsigned k = 0; k < GEN_SYMS; k++)
				term_assign_set(
					&as, g.pool.at[k].t, blast_value(b, g.pool.at[k].t));
			assert_true((term_value(&as, t) != 0) == wanted);
		}
		term_assign_release(&as);
		gen_term_release(&g);
		blast_free(b);
		sat_free(s);
		terms_free(ts);
	}
	assert_true(n_sat > 500 && n_unsat > 500);
}

/* things that are solved, not only evaluated */
static void equations(void **state)
{
	struct terms *ts = terms_new();
	struct sat *s = sat_new();
	struct blast *b = blast_new(ts, s, 0);
	term_t x = term_sym(ts, "x", 16), y = term_sym(ts, "y", 16), p;
	lit_t l[4];
	u128 vx, vy;

	(void)state;
	/* 16 bits: 40001 = 13 * 17 * 181, both factors under 256 and over 1 */
	p = term_mul(ts, term_zext(ts, x, 32), term_zext(ts, y, 32));
	l[0] = blast_lit(b, term_eq(ts, p, term_const(ts, 32, 40001)));
	l[1] = blast_lit(b, term_ult(ts, term_const(ts, 16, 1), x));
	l[2] = blast_lit(b, term_ult(ts, x, y));
	assert_int_equal(sat_solve(s, l, 3, NULL), SAT_SAT);
	vx = blast_value(b, x);
	vy = blast_value(b, y);
	assert_true(vx * vy == 40001 && vx > 1 && vx < vy);
	/* a prime has no factors */
	l[0] = blast_lit(b, term_eq(ts, p, term_const(ts, 32, 32749)));
	l[3] = blast_lit(b, term_ult(ts, y, term_const(ts, 16, 32749)));
	assert_int_equal(sat_solve(s, l, 4, NULL), SAT_UNSAT);
	blast_free(b);
	sat_free(s);
	terms_free(ts);
}

/* divisors whose upper bits are 0 have small circuits, also if they may be 0 */
static void narrow_divisors(void **state)
{
	struct terms *ts = terms_new();
	term_t x = term_sym(ts, "x", 16), y = term_sym(ts, "y", 3);
	struct sat *s = sat_new();
	struct blast *b = blast_new(ts, s, 100000);
	term_t d = term_zext(ts, y, 16), q = term_udiv(ts, x, d), r = term_urem(ts, x, d);

	(void)state;
	for (unsigned k = 0; k < 8; k++)
		for (unsigned v = k; v < 65536; v += 4099) {
			u128 quotient = k ? v / k : 65535, rest = k ? v % k : v;
			term_t same = term_and(ts, term_eq(ts, q, term_const(ts, 16, quotient)),
				term_eq(ts, r, term_const(ts, 16, rest)));
			lit_t l[] = {blast_lit(b, term_eq(ts, x, term_const(ts, 16, v))),
				blast_lit(b, term_eq(ts, y, term_const(ts, 3, k))), blast_lit(b, same)};

			assert_int_equal(sat_solve(s, l, 3, NULL), SAT_SAT);
			l[2] = lit_not(l[2]);
			assert_int_equal(sat_solve(s, l, 3, NULL), SAT_UNSAT);
		}
	blast_free(b);
	sat_free(s);
	/* a division by 10 has 16 steps of 5 bits, not of 17 */
	s = sat_new();
	b = blast_new(ts, s, 100000);
	blast_lit(b, term_eq(ts, term_udiv(ts, x, term_const(ts, 16, 10)), term_const(ts, 16, 77)));
	assert_true(blast_gates(b) < 350);
	blast_free(b);
	sat_free(s);
	terms_free(ts);
}

static void over_budget(void **state)
{
	struct terms *ts = terms_new();
	struct sat *s = sat_new();
	struct blast *b = blast_new(ts, s, 3000);
	term_t x = term_sym(ts, "x", 64), y = term_sym(ts, "y", 64), sum = term_add(ts, x, y);
	term_t q = term_eq(ts, term_udiv(ts, x, y), sum);

	(void)state;
	assert_int_equal(blast_lit(b, q), LIT_NONE);
	assert_false(blast_has(b, q));
	assert_int_not_equal(blast_lit(b, term_eq(ts, sum, term_const(ts, 64, 5))), LIT_NONE);
	assert_true(blast_gates(b) < 3000);
	assert_int_equal(sat_solve(s, NULL, 0, NULL), SAT_SAT);
	blast_free(b);
	sat_free(s);
	terms_free(ts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(solving),
		cmocka_unit_test(equations),
		cmocka_unit_test(narrow_divisors),
		cmocka_unit_test(over_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
