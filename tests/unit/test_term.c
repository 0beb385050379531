/* Terms against plain bit arithmetic (gen_term.h), over many random ones. */
#include "gen_term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void wrong(const struct gen_term *g, uint32_t i, uint64_t seed, const char *what)
{
	struct strbuf sb = {0};

	term_print(&sb, g->ts, g->pool.at[i].t);
	print_error("seed %lu, entry %u (%s, %u bits), %s: %s\n", (unsigned long)seed, i,
		g->pool.at[i].op, g->pool.at[i].width, what, sb.s);
	fail();
}

static void values(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 700; seed++) {
		struct terms *ts = terms_new();
		struct term_assign as;
		struct gen_term g;
		unsigned max = seed % 3 == 0 ? 4 : seed % 3 == 1 ? 33 : 128;

		gen_term_init(&g, ts, seed, max);
		term_assign_init(&as, ts);
		while (g.pool.n < 60)
			gen_term_step(&g);
		for (unsigned k = 0; k < GEN_VALUES; k++) {
			gen_term_assign(&g, k, &as);
			vec_each (&g.pool, i) {
				if (term_width(ts, g.pool.at[i].t) != g.pool.at[i].width)
					wrong(&g, i, seed, "width");
				if (term_value(&as, g.pool.at[i].t) != g.pool.at[i].v[k])
					wrong(&g, i, seed, "value");
			}
		}
		term_assign_release(&as);
		gen_term_release(&g);
		terms_free(ts);
	}
}

/* constants for all symbols give a constant: every rule meets every folding */
static void substitution_of_constants(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct terms *ts = terms_new();
		struct gen_term g;

		gen_term_init(&g, ts, seed + 100000, seed & 1 ? 8 : 128);
		while (g.pool.n < 50)
			gen_term_step(&g);
		for (unsigned k = 0; k < 2; k++) {
			struct term_subst s;
			u128 v;

			term_subst_init(&s, ts);
			for (unsigned i = 0; i < GEN_SYMS; i++)
				term_subst_put(&s, g.pool.at[i].t,
					term_const(ts, g.pool.at[i].width, g.pool.at[i].v[k]));
			vec_each (&g.pool, i) {
				term_t t = term_subst(&s, g.pool.at[i].t);

				if (!term_is_const(ts, t, &v) || v != g.pool.at[i].v[k])
					wrong(&g, i, seed, "constant");
			}
			term_subst_release(&s);
		}
		gen_term_release(&g);
		terms_free(ts);
	}
}

/* a symbol replaced by a term has the value of that term */
static void substitution_of_terms(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct terms *ts = terms_new();
		struct term_assign as, as2;
		struct term_subst s;
		struct gen_term g;
		struct gen_entry *sym, *by;

		gen_term_init(&g, ts, seed + 200000, seed & 1 ? 5 : 128);
		while (g.pool.n < 50)
			gen_term_step(&g);
		sym = &g.pool.at[rng_below(&g.rng, GEN_SYMS)];
		do
			by = &g.pool.at[rng_below(&g.rng, g.pool.n)];
		while (by->width != sym->width);
		term_subst_init(&s, ts);
		term_subst_put(&s, sym->t, by->t);
		term_assign_init(&as, ts);
		term_assign_init(&as2, ts);
		gen_term_assign(&g, 0, &as);
		gen_term_assign(&g, 0, &as2);
		term_assign_set(&as2, sym->t, by->v[0]);
		vec_each (&g.pool, i)
			if (term_value(&as, term_subst(&s, g.pool.at[i].t)) !=
				term_value(&as2, g.pool.at[i].t))
				wrong(&g, i, seed, "substitution");
		term_subst_release(&s);
		term_assign_release(&as);
		term_assign_release(&as2);
		gen_term_release(&g);
		terms_free(ts);
	}
}

static void symbols_of_terms(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct terms *ts = terms_new();
		struct gen_term g;

		gen_term_init(&g, ts, seed + 300000, 16);
		while (g.pool.n < 80)
			gen_term_step(&g);
		vec_each (&g.pool, i) {
			const struct term_syms *s = term_syms(ts, g.pool.at[i].t);
			struct vec_u32 parts = {0};
			uint32_t n = 0;

			term_reach(ts, &g.pool.at[i].t, 1, &parts);
			vec_each (&parts, p)
				if (term_op(ts, (term_t){parts.at[p]}) == TERM_SYM) {
					assert_true(n < s->n);
					assert_int_equal(s->at[n++].id, parts.at[p]);
				}
			assert_int_equal(n, s->n);
			assert_ptr_equal(s, term_syms(ts, g.pool.at[i].t));
			vec_release(&parts);
		}
		gen_term_release(&g);
		terms_free(ts);
	}
}

static void text(struct terms *ts, term_t t, const char *expected)
{
	struct strbuf sb = {0};

	term_print(&sb, ts, t);
	assert_string_equal(sb.s, expected);
	strbuf_release(&sb);
}

/* No two symbols have one name in SMT-LIB, and none has the name of a variable or of a part. */
static void names_in_smt(void **state)
{
	struct terms *ts = terms_new();

	(void)state;
	text(ts, term_sym(ts, "a_b", 8), "|a_b|");
	text(ts, term_sym(ts, "a|b", 8), "|a%7cb|");
	text(ts, term_sym(ts, "a\\b", 8), "|a%5cb|");
	text(ts, term_sym(ts, "a%7cb", 8), "|a%257cb|");
	text(ts, term_sym(ts, "b7", 8), "|%b7|");
	text(ts, term_sym(ts, "n7", 8), "|%n7|");
	text(ts, term_sym(ts, "n7x", 8), "|n7x|");
	text(ts, term_sym(ts, "b", 8), "|b|");
	text(ts, term_sym(ts, "?7", 8), "|%?7|");
	text(ts, term_sym(ts, "x!7", 8), "|x!7|");
	terms_free(ts);
}

/* what the simplifier is there for */
static void simplified(void **state)
{
	struct terms *ts = terms_new();
	term_t x = term_sym(ts, "x", 32), y = term_sym(ts, "y", 32), b = term_sym(ts, "b", 1);
	term_t one = term_const(ts, 32, 1), zero = term_const(ts, 32, 0),
	       byte = term_sym(ts, "c", 8);

	(void)state;
	assert_true(term_same(term_sym(ts, "x", 32), x));
	assert_true(term_same(term_add(ts, x, y), term_add(ts, y, x)));
	assert_true(term_same(term_sub(ts, term_add(ts, x, y), x), y));
	assert_true(term_same(
		term_add(ts, term_add(ts, x, one), one), term_add(ts, x, term_const(ts, 32, 2))));
	assert_true(term_same(term_add(ts, x, x), term_shl(ts, x, one)));
	text(ts, term_eq(ts, term_add(ts, x, one), term_const(ts, 32, 5)), "(= #x00000004 |x|)");
	text(ts, term_eq(ts, term_add(ts, x, one), x), "false");
	text(ts, term_eq(ts, term_ite(ts, b, one, zero), zero), "(not |b|)");
	text(ts, term_ne(ts, term_zext(ts, b, 32), zero), "|b|");
	text(ts, term_ult(ts, x, one), "(= #x00000000 |x|)");
	text(ts, term_slt(ts, term_zext(ts, byte, 32), zero), "false");
	text(ts, term_slt(ts, term_zext(ts, byte, 32), term_const(ts, 32, 300)), "true");
	text(ts, term_trunc(ts, term_add(ts, term_zext(ts, byte, 32), one), 8), "(bvadd #x01 |c|)");
	assert_true(
		term_same(term_concat(ts, term_extract(ts, x, 8, 24), term_trunc(ts, x, 8)), x));
	assert_true(term_same(term_bswap(ts, term_bswap(ts, x)), x));
	text(ts, term_zext(ts, term_ult(ts, x, y), 8),
		"((_ zero_extend 7) (ite (bvult |x| |y|) #b1 #b0))");
	text(ts, term_mul(ts, term_xor(ts, x, y), term_xor(ts, x, y)),
		"(let ((?38 (bvxor |x| |y|))) (bvmul ?38 ?38))");
	terms_free(ts);
}

/* Compares the quotients of a by the divisor, for all values of a and k. */
static void check_powers(struct terms *ts, term_t a, term_t k, term_t divisor)
{
	static const enum term_op ops[] = {TERM_UDIV, TERM_UREM, TERM_SDIV, TERM_SREM};
	term_t q[] = {term_udiv(ts, a, divisor), term_urem(ts, a, divisor), term_sdiv(ts, a, divisor),
		term_srem(ts, a, divisor)};
	unsigned w = term_width(ts, a);
	struct term_assign as;

	term_assign_init(&as, ts);
	for (unsigned i = 0; i < 4; i++)
		if (term_op(ts, divisor) != TERM_SEXT || i >= 2) /* unsigned, it is no power */
			assert_int_not_equal(term_op(ts, q[i]), ops[i]);
	for (unsigned x = 0; x < 1u << w; x++)
		for (unsigned y = 0; y < 1u << term_width(ts, k); y++) {
			u128 d;

			term_assign_set(&as, a, x);
			term_assign_set(&as, k, y);
			d = term_value(&as, divisor);
			for (unsigned i = 0; i < 4; i++)
				assert_true(term_value(&as, q[i]) ==
					    term_fold(ops[i], w, w, w, 0, x, d, 0));
		}
	term_assign_release(&as);
}

/* quotients by powers of two that are not constant, 0 and the least number among them */
static void powers(void **state)
{
	struct terms *ts = terms_new();
	term_t a = term_sym(ts, "a", 8), k = term_sym(ts, "k", 8), k5 = term_sym(ts, "k5", 5);
	term_t four = term_shl(ts, term_const(ts, 8, 4), k);
	term_t narrow = term_shl(ts, term_const(ts, 5, 1), k5);

	(void)state;
	check_powers(ts, a, k, term_shl(ts, term_const(ts, 8, 1), k));
	check_powers(ts, a, k, four);
	check_powers(ts, a, k5, term_zext(ts, narrow, 8));
	check_powers(ts, a, k5, term_sext(ts, narrow, 8));
	terms_free(ts);
}

/* long chains cost no stack, and a million terms no time to speak of */
static void large(void **state)
{
	struct terms *ts = terms_new();
	struct term_assign as;
	struct term_subst s;
	struct strbuf sb = {0};
	term_t x = term_sym(ts, "x", 32), y = term_sym(ts, "y", 32), t = x, sum = x, choice = x;
	uint32_t total = 7;

	(void)state;
	for (uint32_t i = 0; i < 200000; i++) {
		t = term_xor(ts, term_mul(ts, t, y), x);
		choice = term_ite(ts, term_eq(ts, y, term_const(ts, 32, i)), t, choice);
	}
	for (uint32_t i = 0; i < 3000; i++) {
		sum = term_add(ts, sum, term_fresh(ts, "z", 32));
		total += i;
	}
	assert_true(terms_count(ts) > 800000);
	term_assign_init(&as, ts);
	term_assign_set(&as, x, 7);
	term_assign_set(&as, y, 3);
	for (uint32_t i = 0; i < 3000; i++)
		term_assign_set(&as, terms_sym_at(ts, 2 + i), i);
	assert_true(term_value(&as, sum) == total);
	assert_true(term_value(&as, choice) != 0);
	assert_int_equal(term_syms(ts, choice)->n, 2);
	assert_int_equal(term_syms(ts, sum)->n, 3001);
	term_subst_init(&s, ts);
	term_subst_put(&s, x, term_const(ts, 32, 7));
	term_subst_put(&s, y, term_const(ts, 32, 3));
	assert_true(term_same(term_subst(&s, choice), term_const(ts, 32, term_value(&as, choice))));
	term_print(&sb, ts, choice);
	assert_true(sb.n > 1000000);
	strbuf_release(&sb);
	term_subst_release(&s);
	term_assign_release(&as);
	terms_free(ts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(substitution_of_constants),
		cmocka_unit_test(substitution_of_terms),
		cmocka_unit_test(symbols_of_terms),
		cmocka_unit_test(names_in_smt),
		cmocka_unit_test(simplified),
		cmocka_unit_test(powers),
		cmocka_unit_test(large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
