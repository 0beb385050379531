/*
 * Differential tests: the models against the glibc they run beside. Every test draws random cases
 * from a fixed seed; HEDDLE_ROUNDS multiplies the number of cases (the long test), HEDDLE_SEED
 * moves the sequence.
 */
#ifndef HEDDLE_TESTS_MODELS_DIFF_H
#define HEDDLE_TESTS_MODELS_DIFF_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Declares the model of a function or object that glibc's headers know. */
#define MODEL(name) extern __typeof__(name) m_##name

int *m___errno_location(void);
#define m_errno (*m___errno_location())

static uint64_t diff_state = 88172645463325252u;

static inline uint64_t rnd(void)
{
	diff_state ^= diff_state << 13;
	diff_state ^= diff_state >> 7;
	diff_state ^= diff_state << 17;
	return diff_state * 2685821657736338717u;
}

/* 0 .. n-1 */
static inline unsigned below(unsigned n)
{
	return (unsigned)(rnd() >> 33) % n;
}

static inline int one_in(unsigned n)
{
	return below(n) == 0;
}

#define PICK(array) ((array)[below(sizeof(array) / sizeof *(array))])

/* Integers near all the edges. */
static inline uint64_t rnd_edge(void)
{
	static const uint64_t edges[] = {0, 1, 2, 9, 10, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000,
		0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000};
	uint64_t v;

	switch (below(4)) {
	case 0: v = PICK(edges); break;
	case 1: v = PICK(edges) + below(5) - 2; break;
	case 2: v = rnd() >> below(64); break;
	default: v = rnd(); break;
	}
	return one_in(2) ? v : -v;
}

static inline double rnd_double(void)
{
	static const double some[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e10, 1e-10, 123456.789, 9.9999995,
		0.1, 1e300, 1e-300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.05,
		99999.5, 999999.5, 0.00001234, 1.0 / 3, __builtin_inf(), -__builtin_inf(),
		__builtin_nan("")};
	union {
		uint64_t u;
		double d;
	} bits;

	switch (below(3)) {
	case 0: return PICK(some);
	case 1: bits.u = rnd(); return bits.d;
	default: return (double)(int64_t)rnd_edge() / (double)(1 + below(100000));
	}
}

static inline unsigned rounds(unsigned n)
{
	const char *s = getenv("HEDDLE_ROUNDS");

	return s ? n * (unsigned)atoi(s) : n;
}

static inline void diff_seed(void)
{
	const char *s = getenv("HEDDLE_SEED");

	if (s)
		diff_state += (uint64_t)atoi(s) * 0x9e3779b97f4a7c15u;
}

/* Fails with both results and the case, given like printf's arguments. */
#define SAME_INT(a, b, ...)                                                                        \
	diff_int((long long)(a), (long long)(b), __FILE__, __LINE__, __VA_ARGS__)
/* For comparison functions: C promises only the sign, and glibc's variants for different CPUs
 * return different magnitudes. */
#define SAME_SIGN(a, b, ...)                                                                       \
	diff_int(diff_sign(a), diff_sign(b), __FILE__, __LINE__, __VA_ARGS__)
#define SAME_MEM(a, b, n, ...) diff_mem(a, b, n, __FILE__, __LINE__, __VA_ARGS__)
#define SAME_STR(a, b, ...) diff_str(a, b, __FILE__, __LINE__, __VA_ARGS__)

static inline int diff_sign(int n)
{
	return (n > 0) - (n < 0);
}

static inline void __attribute__((format(printf, 5, 6)))
diff_int(long long real, long long model, const char *file, int line, const char *format, ...)
{
	va_list ap;

	if (real == model)
		return;
	va_start(ap, format);
	fprintf(stderr, "%s:%d: glibc %lld, model %lld: ", file, line, real, model);
	vfprintf(stderr, format, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	fail();
}

static inline void diff_show(const void *p, size_t n)
{
	const unsigned char *s = p;

	for (size_t i = 0; i < n && i < 200; i++)
		fprintf(stderr, s[i] >= ' ' && s[i] < 127 ? "%c" : "\\x%02x", s[i]);
}

static inline void __attribute__((format(printf, 6, 7)))
diff_mem(const void *real, const void *model, size_t n, const char *file, int line,
	const char *format, ...)
{
	va_list ap;

	if (memcmp(real, model, n) == 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (((const char *)real)[i] != ((const char *)model)[i] && n > i + 40)
			n = i + 40;
	va_start(ap, format);
	fprintf(stderr, "%s:%d: glibc '", file, line);
	diff_show(real, n);
	fprintf(stderr, "', model '");
	diff_show(model, n);
	fprintf(stderr, "': ");
	vfprintf(stderr, format, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	fail();
}

static inline void __attribute__((format(printf, 5, 6)))
diff_str(const char *real, const char *model, const char *file, int line, const char *format, ...)
{
	va_list ap;

	if (real && model ? strcmp(real, model) == 0 : real == model)
		return;
	va_start(ap, format);
	fprintf(stderr, "%s:%d: glibc '%s', model '%s': ", file, line, real ? real : "(null)",
		model ? model : "(null)");
	vfprintf(stderr, format, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	fail();
}

/* Where files are fast. */
static inline const char *diff_directory(void)
{
	return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

#endif
