/* Offset sets against their definition, enumerated in a window. */
#include "facts/offsets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { WINDOW = 400 };

static uint64_t rng = 88172645463325252u;

static uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 20) % n;
}

/* the definition in the header, word for word */
static bool member(struct offs p, int64_t x)
{
	for (uint32_t i = 0; i < p.count; i++) {
		int64_t rest = x - p.at - (int64_t)i * p.step;

		if (p.every ? rest % p.every == 0 : rest == 0)
			return true;
	}
	return false;
}

static struct offs random_offs(void)
{
	struct offs p = offs_exact((int64_t)rnd(60) - 20);

	if (rnd(3) == 0)
		p = offs_index(p, (int64_t)rnd(20) - 6, 1 + rnd(6));
	if (rnd(3) == 0)
		p = offs_index(p, (int64_t)rnd(50) - 10, 0);
	return p;
}

static void canonical(struct offs p)
{
	assert_true(p.count >= 1);
	assert_int_equal(p.count == 1, p.step == 0);
	if (p.every) {
		assert_in_range(p.at, 0, p.every - 1);
		assert_true((uint64_t)p.count * p.step < p.every);
	}
	if (offs_is_any(p))
		assert_true(offs_eq(p, OFFS_ANY));
}

static void shift_and_index(void **state)
{
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct offs p = random_offs(), q;
		int64_t c = (int64_t)rnd(60) - 30;
		uint32_t bound = rnd(5);

		canonical(p);
		q = offs_shift(p, c);
		canonical(q);
		for (int64_t x = -WINDOW; x < WINDOW; x++)
			assert_int_equal(member(p, x), member(q, x + c));
		q = offs_index(p, c, bound);
		canonical(q);
		for (int64_t x = -100; x < 100; x++)
			for (int64_t i = bound ? 0 : -3; i < (bound ? (int64_t)bound : 3); i++)
				if (member(p, x))
					assert_true(member(q, x + i * c));
		if (offs_is_exact(p) && c)
			for (int64_t x = -WINDOW; x < WINDOW; x++)
				if (member(q, x)) {
					assert_int_equal((x - p.at) % c, 0);
					if (bound)
						assert_in_range((x - p.at) / c, 0, bound - 1);
				}
	}
}

static void sum_and_difference(void **state)
{
	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct offs p = random_offs(), q = random_offs();
		struct offs sum = offs_sum(p, q), diff = offs_difference(p, q);

		canonical(sum);
		canonical(diff);
		for (int64_t x = -100; x < 100; x++)
			for (int64_t y = -100; member(p, x) && y < 100; y++)
				if (member(q, y)) {
					assert_true(member(sum, x + y));
					assert_true(member(diff, x - y));
				}
		if (offs_is_exact(p) && offs_is_exact(q)) {
			assert_true(offs_eq(sum, offs_exact((int64_t)p.at + q.at)));
			assert_true(offs_eq(diff, offs_exact((int64_t)p.at - q.at)));
		}
	}
}

static void clip(void **state)
{
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct offs p = random_offs(), q = OFFS_ZERO;
		int32_t lo = (int32_t)rnd(60) - 30, hi = lo + 1 + (int32_t)rnd(60);
		bool open = rnd(10) == 0, any = false, got;

		got = offs_clip(p, lo, open ? OFFS_MAX : hi, &q);
		canonical(q);
		for (int64_t x = lo; x < (open ? WINDOW : hi); x++) {
			if (!member(p, x))
				continue;
			any = true;
			assert_true(got && member(q, x));
		}
		/* nothing outside the range, and no member where there is none */
		if (got && !open)
			for (int64_t x = -WINDOW; x < WINDOW; x++)
				if (member(q, x))
					assert_in_range(x - lo, 0, hi - lo - 1);
		if (!open && (p.count == 1 || !p.every))
			assert_int_equal(got, any);
	}
}

static void overlap(void **state)
{
	int exact = 0, tight = 0;

	(void)state;
	for (int round = 0; round < 30000; round++) {
		struct offs p = random_offs(), q = random_offs();
		uint32_t wa = 1 + rnd(9), wb = 1 + rnd(9);
		bool meets = false, got = offs_overlap(p, wa, q, wb);

		/* one period of both is enough on one side */
		for (int64_t a = -150; a < 150 && !meets; a++)
			for (int64_t b = a - (int64_t)wb + 1; member(p, a) && b < a + (int64_t)wa; b++)
				meets |= member(q, b);
		if (meets)
			assert_true(got);
		assert_int_equal(got, offs_overlap(q, wb, p, wa));
		if (p.count == 1 && q.count == 1 && !(p.every && q.every)) {
			assert_int_equal(got, meets);
			exact++;
		}
		tight += got == meets;
		assert_int_equal(offs_contains(p, q.at), member(p, q.at));
	}
	assert_true(exact > 1000);
	assert_true(tight > 29000);
}

static void round_and_tag(void **state)
{
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct offs p = random_offs(), q;
		uint32_t align = 1u << rnd(6), power = 1u << rnd(5), c = rnd(16);
		int64_t base = 4096 + (int64_t)align * (1 + 2 * (int64_t)rnd(3));

		q = offs_round(p, power, align);
		for (int64_t x = -60; x < 60; x++)
			if (member(p, x))
				assert_true(member(q, ((base + x) & -(int64_t)power) - base));
		q = offs_tag(p, c, align);
		for (int64_t x = -60; x < 60; x++)
			if (member(p, x))
				assert_true(member(q, ((base + x) | c) - base));
	}
	assert_true(offs_eq(offs_tag(offs_exact(16), 1, 8), offs_exact(17)));
	assert_true(offs_eq(offs_round(offs_exact(17), 8, 8), offs_exact(16)));
	assert_true(offs_is_any(offs_round(offs_exact(17), 8, 4)));
}

static void numbers_that_do_not_fit(void **state)
{
	(void)state;
	assert_true(offs_is_any(offs_exact(INT64_C(1) << 40)));
	assert_true(offs_is_any(offs_shift(offs_exact(INT32_MAX), 1)));
	assert_true(offs_is_any(offs_shift(offs_exact(-5), INT64_MIN)));
	assert_true(offs_is_any(offs_index(OFFS_ZERO, INT64_MIN, 0)));
	assert_true(offs_is_any(offs_index(OFFS_ZERO, INT64_C(1) << 33, 0)));
	assert_true(offs_is_any(offs_index(OFFS_ZERO, 1 << 20, 1 << 20)));
	assert_true(offs_eq(offs_index(OFFS_ANY, 8, 0), OFFS_ANY));
	assert_true(offs_contains(offs_index(OFFS_ZERO, 8, 0), INT64_C(1) << 40));
	assert_false(offs_contains(OFFS_ZERO, INT64_C(1) << 32));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shift_and_index),
		cmocka_unit_test(sum_and_difference),
		cmocka_unit_test(clip),
		cmocka_unit_test(overlap),
		cmocka_unit_test(round_and_tag),
		cmocka_unit_test(numbers_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
