/* Sparse sets against dense ones, over random operations. */
#include "base/bitset.h"
#include "base/sparse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t rng = 88172645463325252u;

static uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 20) % n;
}

static void same(const struct sparse *s, const struct bitset *b)
{
	struct sparse_iter it = {0};
	uint32_t expected = bitset_next(b, 0), i;

	while (sparse_next(s, &it, &i)) {
		assert_int_equal(i, expected);
		expected = bitset_next(b, i + 1);
	}
	assert_int_equal(expected, UINT32_MAX);
	assert_int_equal(sparse_empty(s), bitset_count(b) == 0);
}

static void fill(struct sparse *s, struct bitset *b, uint32_t range)
{
	for (uint32_t k = rnd(40); k--;) {
		uint32_t i = rnd(range);

		assert_int_equal(sparse_has(s, i), bitset_has(b, i));
		assert_int_equal(sparse_add(s, i), bitset_add(b, i));
		assert_true(sparse_has(s, i));
	}
}

static void random_operations(void **state)
{
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct sparse s[3] = {{0}};
		struct bitset b[3] = {{0}};
		uint32_t range = 1 + rnd(rnd(2) ? 100 : 4000);
		bool grew = false;

		for (int i = 0; i < 3; i++)
			fill(&s[i], &b[i], range);
		switch (rnd(3)) {
		case 0: assert_int_equal(sparse_or(&s[0], &s[1]), bitset_or(&b[0], &b[1])); break;
		case 1:
			bitset_each (&b[1], i)
				if (!bitset_has(&b[2], i))
					grew |= bitset_add(&b[0], i);
			assert_int_equal(sparse_or_diff(&s[0], &s[1], &s[2]), grew);
			break;
		default:
			sparse_and(&s[0], &s[1]);
			bitset_each (&b[0], i)
				if (!bitset_has(&b[1], i))
					bitset_del(&b[0], i);
		}
		for (int i = 0; i < 3; i++) {
			same(&s[i], &b[i]);
			sparse_release(&s[i]);
			bitset_release(&b[i]);
		}
	}
}

static void equal_after_the_same_members(void **state)
{
	struct sparse s = {0}, t = {0};

	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		sparse_add(&s, i * 7);
		sparse_add(&t, (499 - i) * 7);
	}
	assert_false(sparse_or(&s, &t));
	sparse_add(&t, 1);
	assert_true(sparse_or(&s, &t));
	sparse_release(&s);
	sparse_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations),
		cmocka_unit_test(equal_after_the_same_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
