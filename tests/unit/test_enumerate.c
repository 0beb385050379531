/* Enumeration against the evaluation of the same terms under each assignment. */
#include "base/base.h"
#include "base/vec.h"
#include "smt/enumerate.h"
#include "gen_term.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

enum { BITS = 8, SEEDS = 120, STEPS = 60 };

struct test {
	struct terms *ts;
	struct slice *slice;
	struct enumerate *e;
	struct gen_term g;
};

static void setup(struct test *x, uint64_t seed)
{
	x->ts = terms_new();
	x->slice = slice_new(x->ts);
	x->e = enumerate_new(x->ts, x->slice);
	gen_term_init(&x->g, x->ts, seed, 64);
	for (int i = 0; i < STEPS; i++)
		gen_term_step(&x->g);
}

static void teardown(struct test *x)
{
	gen_term_release(&x->g);
	enumerate_free(x->e);
	slice_free(x->slice);
	terms_free(x->ts);
}

/* The term with the low bits of one small symbol in the place of each symbol. */
static term_t small_term(struct test *x, term_t t, term_t small)
{
	const struct term_syms *syms = term_syms(x->ts, t);
	struct term_subst s;

	term_subst_init(&s, x->ts);
	for (uint32_t i = 0; i < syms->n; i++) {
		unsigned w = term_width(x->ts, syms->at[i]);

		term_subst_put(&s, syms->at[i],
			w < BITS ? term_trunc(x->ts, small, w) : term_zext(x->ts, small, w));
	}
	t = term_subst(&s, t);
	term_subst_release(&s);
	return t;
}

/* Compares the answers about t under the condition with all assignments of the symbol. */
static bool compare(struct test *x, term_t small, term_t c, term_t t)
{
	struct vec_u32 set = {.at = &c.id, .n = 1};
	struct term_assign as, model;
	u128 least = 0, most = 0, v, k;
	bool any = false, ok;

	term_assign_init(&as, x->ts);
	term_assign_init(&model, x->ts);
	for (unsigned i = 0; i < 1u << BITS; i++) {
		term_assign_set(&as, small, i);
		if (!term_value(&as, c))
			continue;
		v = term_value(&as, t);
		least = any ? MIN(least, v) : v;
		most = any ? MAX(most, v) : v;
		any = true;
	}
	ok = !term_is_const(x->ts, c, &k) && enumerate_begin(x->e, &set, t);
	if (ok) {
		u128 low = 0, high = 0;

		assert_int_equal(enumerate_range(x->e, &low, &high), any);
		assert_true(!any || (low == least && high == most));
		assert_int_equal(enumerate_model(x->e, &model), any);
		assert_true(!any || term_value(&model, c));
	}
	term_assign_release(&model);
	term_assign_release(&as);
	return ok;
}

static void agrees_with_evaluation(void **state)
{
	unsigned compared = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct test x;
		term_t small;

		setup(&x, seed);
		small = term_sym(x.ts, "small", BITS);
		for (uint32_t i = x.g.pool.n / 2; i + 1 < x.g.pool.n; i++) {
			term_t t = small_term(&x, x.g.pool.at[i].t, small), c;

			c = small_term(&x, x.g.pool.at[i + 1].t, small);
			c = term_ne(x.ts, c, term_const(x.ts, term_width(x.ts, c), 0));
			compared += compare(&x, small, c, t);
		}
		teardown(&x);
	}
	assert_true(compared > SEEDS * 10);
}

/* Bytes of an array are atoms; an index that is a term needs a known array. */
static void reads_arrays(void **state)
{
	struct test x;
	term_t small, array, fill, t, c;
	struct vec_u32 set;

	(void)state;
	setup(&x, 1);
	small = term_sym(x.ts, "small", BITS);
	array = term_fresh_array(x.ts, "bytes");
	t = term_zext(x.ts, term_read(x.ts, array, term_const(x.ts, 64, 3)), 64);
	c = term_eq(x.ts, term_urem(x.ts, t, term_const(x.ts, 64, 50)), term_const(x.ts, 64, 7));
	set = (struct vec_u32){.at = &c.id, .n = 1};
	assert_true(enumerate_begin(x.e, &set, t));
	fill = term_array_of(x.ts, term_const(x.ts, 8, 9));
	fill = term_write(x.ts, fill, term_zext(x.ts, small, 64), term_trunc(x.ts, small, 8));
	t = term_read(x.ts, fill, term_const(x.ts, 64, 5));
	c = term_ne(x.ts, t, term_const(x.ts, 8, 9));
	set = (struct vec_u32){.at = &c.id, .n = 1};
	assert_true(compare(&x, small, c, t));
	t = term_read(x.ts, array, term_zext(x.ts, small, 64));
	c = term_ne(x.ts, t, term_const(x.ts, 8, 9));
	assert_false(enumerate_begin(x.e, &set, t));
	teardown(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_evaluation),
		cmocka_unit_test(reads_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
