/*
 * The functions of <math.h> with results through pointers, and the classification of bit patterns.
 * The machine implements the functions from scalars to a scalar.
 */
#include "model.h"
#include <math.h>

union f32 {
	float x;
	uint32_t bits;
};
union f64 {
	double x;
	uint64_t bits;
};
union f80 {
	long double x;
	struct {
		uint64_t mantissa;
		uint16_t sign_exponent;
	} bits;
};

/* ---- classes ----------------------------------------------------------------------------- */

int __fpclassifyf(float x)
{
	uint32_t b = (union f32){.x = x}.bits & 0x7fffffff;

	if (b >= 0x7f800000)
		return b == 0x7f800000 ? FP_INFINITE : FP_NAN;
	return b >= 0x00800000 ? FP_NORMAL : b ? FP_SUBNORMAL : FP_ZERO;
}

int __fpclassify(double x)
{
	uint64_t b = (union f64){.x = x}.bits & 0x7fffffffffffffff;

	if (b >= 0x7ff0000000000000)
		return b == 0x7ff0000000000000 ? FP_INFINITE : FP_NAN;
	return b >= 0x0010000000000000 ? FP_NORMAL : b ? FP_SUBNORMAL : FP_ZERO;
}

int __fpclassifyl(long double x)
{
	union f80 u = {.x = x};
	unsigned exponent = u.bits.sign_exponent & 0x7fff;
	uint64_t m = u.bits.mantissa;

	if (exponent == 0)
		return m ? FP_SUBNORMAL : FP_ZERO;
	if (!(m >> 63))
		return FP_NAN;
	if (exponent == 0x7fff)
		return m << 1 ? FP_NAN : FP_INFINITE;
	return FP_NORMAL;
}

int __signbitf(float x)
{
	return (int)((union f32){.x = x}.bits & 0x80000000);
}

int __signbit(double x)
{
	return (union f64){.x = x}.bits >> 63 ? 0x80 : 0;
}

int __signbitl(long double x)
{
	return (union f80){.x = x}.bits.sign_exponent & 0x8000;
}

#define CLASSES(type, suffix) \
	int __isinf##suffix(type x) \
	{ \
		return __fpclassify##suffix(x) != FP_INFINITE ? 0 : __signbit##suffix(x) ? -1 : 1; \
	} \
	int __isnan##suffix(type x) \
	{ \
		return __fpclassify##suffix(x) == FP_NAN; \
	} \
	int __finite##suffix(type x) \
	{ \
		return __fpclassify##suffix(x) > FP_INFINITE; \
	} \
	extern int isinf##suffix(type) __attribute__((alias("__isinf" #suffix))); \
	extern int isnan##suffix(type) __attribute__((alias("__isnan" #suffix))); \
	extern int finite##suffix(type) __attribute__((alias("__finite" #suffix)))

#undef isinf
#undef isnan
CLASSES(double, );
CLASSES(float, f);
CLASSES(long double, l);

int __issignalingf(float x)
{
	uint32_t b = (union f32){.x = x}.bits;

	return ((b ^ 0x00400000) & 0x7fffffff) > 0x7fc00000;
}

int __issignaling(double x)
{
	uint64_t b = (union f64){.x = x}.bits;

	return ((b ^ 0x0008000000000000) & 0x7fffffffffffffff) > 0x7ff8000000000000;
}

/* ---- parts ------------------------------------------------------------------------------- */

double __frexp(double x, int *exponent)
{
	union f64 u = {.x = x};
	int e = (int)(u.bits >> 52 & 0x7ff);

	*exponent = 0;
	if (e == 0x7ff || x == 0)
		return x + x;
	if (e == 0) {
		u.x = x * 0x1p54;
		e = (int)(u.bits >> 52 & 0x7ff) - 54;
	}
	*exponent = e - 1022;
	u.bits = (u.bits & 0x800fffffffffffff) | 0x3fe0000000000000;
	return u.x;
}
M_ALIAS(frexp, __frexp);

float frexpf(float x, int *exponent)
{
	return (float)__frexp(x, exponent);
}

long double frexpl(long double x, int *exponent)
{
	union f80 u = {.x = x};
	int e = u.bits.sign_exponent & 0x7fff;

	*exponent = 0;
	if (e == 0x7fff || x == 0)
		return x + x;
	if (e == 0) {
		u.x = x * 0x1p65L;
		e = (u.bits.sign_exponent & 0x7fff) - 65;
	}
	*exponent = e - 16382;
	u.bits.sign_exponent = (uint16_t)((u.bits.sign_exponent & 0x8000) | 16382);
	return u.x;
}

#define PARTS(type, s) \
	type modf##s(type x, type *whole) \
	{ \
		*whole = __builtin_trunc##s(x); \
		if (__fpclassify##s(x) == FP_INFINITE) \
			return __builtin_copysign##s(0, x); \
		return __builtin_copysign##s(x - *whole, x); \
	} \
	void sincos##s(type x, type *sine, type *cosine) \
	{ \
		*sine = sin##s(x); \
		*cosine = cos##s(x); \
	} \
	/* the sign of the gamma function itself; at its poles there is none */ \
	type lgamma##s##_r(type x, int *sign) \
	{ \
		type whole = __builtin_floor##s(x), half = whole / 2; \
		bool odd = half != __builtin_floor##s(half); \
		*sign = x < 0 ? (x != whole && odd ? -1 : 1) : x == 0 && __signbit##s(x) ? -1 : 1; \
		return lgamma##s(x); \
	} \
	/* the remainder nearest zero, and the low bits of the quotient */ \
	type remquo##s(type x, type y, int *quotient) \
	{ \
		type r, ay = __builtin_fabs##s(y), half = ay / 2; \
		bool negative = __signbit##s(x), differ = !negative != !__signbit##s(y); \
		int q = 0; \
		if (y == 0 || __fpclassify##s(x) <= FP_INFINITE || __isnan##s(y)) \
			return (x * y) / (x * y); \
		r = __builtin_fabs##s(x); \
		if (!__isinf##s(8 * ay)) \
			r = fmod##s(r, 8 * ay); \
		if (!__isinf##s(4 * ay) && r >= 4 * ay) { \
			r -= 4 * ay; \
			q += 4; \
		} \
		if (!__isinf##s(2 * ay) && r >= 2 * ay) { \
			r -= 2 * ay; \
			q += 2; \
		} \
		if (half + half != ay ? r + r > ay : r > half) { \
			r -= ay; \
			q++; \
			if (half + half != ay ? r + r >= ay : r >= half) { \
				r -= ay; \
				q++; \
			} \
		} \
		*quotient = differ ? -q : q; \
		if (r == 0) \
			r = 0; \
		return negative ? -r : r; \
	} \
	type nextup##s(type x) \
	{ \
		return nextafter##s(x, __builtin_inf()); \
	} \
	type nextdown##s(type x) \
	{ \
		return nextafter##s(x, -__builtin_inf()); \
	}

PARTS(double, )
PARTS(float, f)
PARTS(long double, l)

double nexttoward(double x, long double y)
{
	if (__isnanl(y))
		return x + (double)y;
	return x == y ? (double)y : nextafter(x, y > x ? __builtin_inf() : -__builtin_inf());
}

float nexttowardf(float x, long double y)
{
	if (__isnanl(y))
		return x + (float)y;
	return x == y ? (float)y : nextafterf(x, y > x ? __builtin_inff() : -__builtin_inff());
}

long double nexttowardl(long double x, long double y)
{
	return nextafterl(x, y);
}

/* ---- NaN with a payload ------------------------------------------------------------------ */

/* The payload's number, 0 for a tag that is not one. */
static uint64_t payload(const char *tag)
{
	extern unsigned long long strtoull(const char *, char **, int);
	char *end;
	int error = errno;
	uint64_t v = strtoull(tag, &end, 0);

	errno = error;
	return *end ? 0 : v;
}

double nan(const char *tag)
{
	return (union f64){.bits = 0x7ff8000000000000 | (payload(tag) & 0x0007ffffffffffff)}.x;
}

float nanf(const char *tag)
{
	return (union f32){.bits = 0x7fc00000 | (uint32_t)(payload(tag) & 0x003fffff)}.x;
}

long double nanl(const char *tag)
{
	return (union f80){
		.bits = {0xc000000000000000 | (payload(tag) & 0x3fffffffffffffff), 0x7fff}}
		.x;
}
