/* <stdlib.h> against glibc: conversion, sorting, random numbers. */
#include "diff.h"
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <math.h>

long m_strtol(const char *s, char **end, int base);
unsigned long m_strtoul(const char *s, char **end, int base);
long m___isoc23_strtol(const char *s, char **end, int base);
unsigned long m___isoc23_strtoul(const char *s, char **end, int base);
#if __GLIBC_PREREQ(2, 38) /* these names are redirected */
#define m_strtol  m___isoc23_strtol
#define m_strtoul m___isoc23_strtoul
#endif
MODEL(strtod);
MODEL(strtof);
MODEL(strtold);
MODEL(atoi);
MODEL(qsort);
MODEL(qsort_r);
MODEL(bsearch);
MODEL(rand);
MODEL(srand);
MODEL(random);
MODEL(srandom);
MODEL(initstate);
MODEL(setstate);
MODEL(rand_r);
MODEL(drand48);
MODEL(erand48);
MODEL(lrand48);
MODEL(nrand48);
MODEL(mrand48);
MODEL(jrand48);
MODEL(srand48);
MODEL(seed48);
MODEL(lcong48);

static void make_number(char *s)
{
	static const char *const fronts[] = {"", " ", "\t\n", "-", "+", " -", "+-", "  +"};
	static const char *const starts[] = {
		"", "0", "0x", "0X", "0b", "1", "9", "z", "00", "0x0x"};
	static const char digits[] = "0011223456789abcdefABCDEFgzZ .,";
	unsigned n = below(one_in(3) ? 30 : 10);

	s += sprintf(s, "%s%s", PICK(fronts), PICK(starts));
	if (one_in(4)) {
		sprintf(s, one_in(2) ? "%ld" : "%lx", (long)rnd_edge());
		return;
	}
	for (unsigned i = 0; i < n; i++)
		*s++ = digits[below(one_in(3) ? sizeof digits - 1 : 12)];
	*s = '\0';
}

static void integers(void **state)
{
	static const int bases[] = {0, 10, 16, 8, 2, 36, 3, 1, -1, 37, 0, 10, 16};

	(void)state;
	for (unsigned i = 0; i < rounds(100000); i++) {
		char s[100], *ea = s + 99, *eb = s + 99; /* where they stay without an end */
		int base = PICK(bases);
		make_number(s);
		errno = m_errno = 0;
		SAME_INT(strtol(s, &ea, base), m_strtol(s, &eb, base), "strtol '%s' %d", s, base);
		SAME_INT(ea - s, eb - s, "end of strtol '%s' %d", s, base);
		SAME_INT(errno, m_errno, "errno of strtol '%s' %d", s, base);
		errno = m_errno = 0;
		SAME_INT(
			strtoul(s, &ea, base), m_strtoul(s, &eb, base), "strtoul '%s' %d", s, base);
		SAME_INT(ea - s, eb - s, "end of strtoul '%s' %d", s, base);
		SAME_INT(errno, m_errno, "errno of strtoul '%s' %d", s, base);
		SAME_INT(atoi(s), m_atoi(s), "atoi '%s'", s);
	}
}

static void binary(void **state)
{
	char *end;

	(void)state;
	assert_int_equal(m___isoc23_strtol("0b101", &end, 0), 5);
	assert_int_equal(m___isoc23_strtol("-0B11z", &end, 2), -3);
	assert_string_equal(end, "z");
	assert_int_equal(m___isoc23_strtol("0b2", &end, 0), 0);
	assert_string_equal(end, "b2");
}

static void floats(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(20000); i++) {
		static const char *const formats[] = {
			"%g", "%.17g", "%a", "%f", "  %e", "%gx", "-%g"};
		char s[500], *ea, *eb;
		double da, db;
		float fa, fb;
		snprintf(s, sizeof s, PICK(formats), rnd_double());
		errno = m_errno = 0;
		da = strtod(s, &ea);
		db = m_strtod(s, &eb);
		SAME_MEM(&da, &db, sizeof da, "strtod '%s'", s);
		SAME_INT(ea - s, eb - s, "strtod '%s'", s);
		SAME_INT(errno, m_errno, "strtod '%s'", s);
		fa = strtof(s, &ea);
		fb = m_strtof(s, &eb);
		SAME_MEM(&fa, &fb, sizeof fa, "strtof '%s'", s);
		SAME_INT(errno, m_errno, "strtof '%s'", s);
	}
}

/*
 * The order of comparisons, and the order of equal elements, are visible to the program. C leaves
 * both open; the models follow the merge sort of glibc before 2.37, so both are compared only
 * beside such a glibc.
 */
static uint64_t trace;

static int sorts_by_merging(void)
{
	const char *version = gnu_get_libc_version();

	return atoi(version) == 2 && atoi(strchr(version, '.') + 1) < 37;
}

static int compare_int(const void *a, const void *b)
{
	trace = trace * 31 + (uint64_t)(*(const int *)a * 1000 + *(const int *)b);
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int compare_arg(const void *a, const void *b, void *arg)
{
	return compare_int(a, b) * *(int *)arg;
}

/* Puts equal elements into one order, so that only the set of elements counts. */
static int compare_bytes(const void *a, const void *b, void *size)
{
	int order = compare_int(a, b);

	return order ? order : memcmp(a, b, *(size_t *)size);
}

static void sorting(void **state)
{
	int merging = sorts_by_merging();

	(void)state;
	for (unsigned i = 0; i < rounds(3000); i++) {
		static int a[60 * 12], b[60 * 12];
		size_t n = below(60), size = 4 * (1 + below(12));
		int sign = one_in(2) ? 1 : -1, key = (int)below(30);
		uint64_t trace_a;
		void *pa, *pb;
		for (size_t k = 0; k < n * size / 4; k++)
			a[k] = b[k] = (int)below(30);
		trace = 0;
		qsort_r(a, n, size, compare_arg, &sign);
		trace_a = trace;
		trace = 0;
		m_qsort_r(b, n, size, compare_arg, &sign);
		for (size_t k = 0; k < n; k++)
			SAME_INT(a[k * size / 4], b[k * size / 4],
				"key %zu of qsort_r of %zu elements of %zu", k, n, size);
		if (merging) {
			SAME_MEM(a, b, n * size, "qsort_r of %zu elements of %zu", n, size);
			SAME_INT(trace_a, trace, "comparisons of qsort_r, %zu elements of %zu", n,
				size);
		}
		qsort(a, n, size, compare_int);
		m_qsort(b, n, size, compare_int);
		if (!merging) {
			qsort_r(a, n, size, compare_bytes, &size);
			qsort_r(b, n, size, compare_bytes, &size);
		}
		SAME_MEM(a, b, n * size, "qsort of %zu elements of %zu", n, size);
		pa = bsearch(&key, a, n, size, compare_int);
		pb = m_bsearch(&key, b, n, size, compare_int);
		SAME_INT(pa ? (char *)pa - (char *)a : -1, pb ? (char *)pb - (char *)b : -1,
			"bsearch");
	}
}

static void random_numbers(void **state)
{
	static char buf_a[6][300] __attribute__((aligned(8))),
		buf_b[6][300] __attribute__((aligned(8)));
	static const unsigned sizes[] = {8, 16, 32, 64, 128, 256};

	(void)state;
	for (unsigned i = 0; i < 2000; i++)
		SAME_INT(rand(), m_rand(), "rand, unseeded, call %u", i);
	for (unsigned i = 0; i < rounds(50); i++) {
		unsigned seed = (unsigned)rnd_edge(), seed_b = seed;
		srand(seed);
		m_srand(seed);
		for (int k = 0; k < 100; k++) {
			SAME_INT(random(), m_random(), "random after srand(%u)", seed);
			SAME_INT(rand_r(&seed), m_rand_r(&seed_b), "rand_r");
			SAME_INT(seed, seed_b, "seed of rand_r");
		}
	}
	for (int i = 0; i < 6; i++) {
		initstate((unsigned)i * 77, buf_a[i], sizes[i]);
		m_initstate((unsigned)i * 77, buf_b[i], sizes[i]);
		for (int k = 0; k < 10 * i; k++)
			SAME_INT(random(), m_random(), "random with %u bytes of state", sizes[i]);
	}
	for (unsigned i = 0; i < rounds(200); i++) {
		unsigned k = below(6);
		SAME_INT(
			setstate(buf_a[k]) - buf_a[0], m_setstate(buf_b[k]) - buf_b[0], "setstate");
		for (unsigned j = below(20); j; j--)
			SAME_INT(random(), m_random(), "random after setstate");
	}
	SAME_INT(initstate(1, buf_a[0], 7) == NULL, m_initstate(1, buf_b[0], 7) == NULL,
		"small state");
}

static void random_48(void **state)
{
	unsigned short xa[3] = {1, 2, 3}, xb[3] = {1, 2, 3}, p[7];

	(void)state;
	for (unsigned i = 0; i < rounds(3000); i++) {
		double a, b;
		long seed = (long)rnd();
		switch (below(10)) {
		case 0:
			srand48(seed);
			m_srand48(seed);
			break;
		case 1: SAME_MEM(seed48(xa), m_seed48(xb), 6, "seed48"); break;
		case 2:
			for (int k = 0; k < 7; k++)
				p[k] = (unsigned short)rnd();
			lcong48(p);
			m_lcong48(p);
			break;
		case 3: SAME_INT(lrand48(), m_lrand48(), "lrand48"); break;
		case 4: SAME_INT(mrand48(), m_mrand48(), "mrand48"); break;
		case 5: SAME_INT(nrand48(xa), m_nrand48(xb), "nrand48"); break;
		case 6: SAME_INT(jrand48(xa), m_jrand48(xb), "jrand48"); break;
		case 7:
			a = erand48(xa);
			b = m_erand48(xb);
			SAME_MEM(&a, &b, sizeof a, "erand48");
			break;
		default:
			a = drand48();
			b = m_drand48();
			SAME_MEM(&a, &b, sizeof a, "drand48");
			break;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(binary),
		cmocka_unit_test(floats),
		cmocka_unit_test(sorting),
		cmocka_unit_test(random_numbers),
		cmocka_unit_test(random_48),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
