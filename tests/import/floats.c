/* Floating point: constants to the bit, conversions, classes, library functions. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static uint32_t bits32(float x)
{
	uint32_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

static uint64_t bits64(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

static uint64_t bits80(long double x, uint16_t *high)
{
	uint64_t u;

	memcpy(&u, &x, sizeof u);
	memcpy(high, (char *)&x + 8, 2);
	return u;
}

static void constants(void)
{
	static const float fs[] = {1.0f, 0.1f, -0.0f, 1e-45f, 3.4028235e38f};
	static const double ds[] = {0.1, -0.0, 4.9e-324, 1.7976931348623157e308, 1e22};
	static const long double ls[] = {0.1L, -1.0L, 3.36e-4932L};
	uint16_t h;

	CHECK(bits32(HIDE(0.1f)) == 0x3dcccccd && bits32(fs[HIDE(1)]) == 0x3dcccccd);
	CHECK(bits32(fs[HIDE(2)]) == 0x80000000 && bits32(fs[HIDE(3)]) == 1);
	CHECK(bits64(HIDE(0.1)) == 0x3fb999999999999a && bits64(ds[HIDE(1)]) == 1ull << 63);
	CHECK(bits64(ds[HIDE(2)]) == 1 && bits64(ds[HIDE(4)]) == 0x4480f0cf064dd592);
	CHECK(bits32(HIDE(__builtin_nanf("0x12345"))) == 0x7fc12345);
	CHECK(bits32(__builtin_nansf("0x12345")) == 0x7f812345);
	CHECK(bits64(__builtin_nans("7")) == 0x7ff0000000000007);
	CHECK(bits64(HIDE(-__builtin_inf())) == 0xfff0000000000000);
	CHECK(bits80(HIDE(0.1L), &h) == 0xcccccccccccccccd && h == 0x3ffb);
	CHECK(bits80(ls[HIDE(1)], &h) == 0x8000000000000000 && h == 0xbfff);
	CHECK(bits80(ls[HIDE(2)], &h) < 1ull << 63 && h == 0);
	CHECK(bits80(__builtin_nanl("5"), &h) == 0xc000000000000005 && h == 0x7fff);
}

static void arithmetic(void)
{
	float f = HIDE(1.5f);
	double d = HIDE(2.25);
	long double l = HIDE(3.0L);

	CHECK(f + d == 3.75 && f * 2 == 3 && d / f == 1.5 && -f == -1.5f);
	CHECK(l / 7 * 7 == 3 && (double)(l / 7) == 3.0 / 7 && (float)(d / 7) == 2.25f / 7);
	CHECK(HIDE(0.1) + HIDE(0.2) != 0.3 && (float)HIDE(0.1) != 0.1);
	CHECK(HIDE(1e308) * 10 == INFINITY && HIDE(1e-300) * HIDE(1e-300) == 0);
	CHECK((int)HIDE(-2.9) == -2 && (unsigned)HIDE(3e9) == 3000000000u);
	CHECK((uint64_t)HIDE(1.8e19) == 18000000000000000000ull && (long)HIDE(-1e18L) == -1000000000000000000l);
	CHECK((double)HIDE(UINT64_MAX) == 18446744073709551616.0);
	CHECK((float)HIDE(-3) == -3.0f && (long double)HIDE(INT64_MIN) == -9223372036854775808.0L);
	CHECK((double)((unsigned __int128)HIDE(1ull) << 100) == 0x1p100);
	CHECK(fmod(HIDE(7.5), 2) == 1.5);
}

static void comparisons(void)
{
	double n = HIDE(NAN), a = HIDE(1.0), b = HIDE(2.0);

	CHECK(a < b && a <= b && b > a && b >= a && a != b && !(a == b));
	CHECK(!(n < a) && !(n > a) && !(n <= a) && !(n >= a) && n != n && !(n == a));
	CHECK(!(a < n) == 1 && isunordered(n, a) && !isunordered(a, b));
	CHECK(isless(a, b) && !isless(n, b) && isgreaterequal(b, a) && islessgreater(a, b));
	CHECK(HIDE(0.0) == HIDE(-0.0));
}

static void classes(void)
{
	CHECK(isnan(HIDE(NAN)) && !isnan(HIDE(1.0)) && isnan(HIDE(__builtin_nanf(""))));
	CHECK(isinf(HIDE(INFINITY)) && isinf(HIDE(-INFINITY)) && !isinf(HIDE(DBL_MAX)));
	CHECK(__builtin_isinf_sign(HIDE(-INFINITY)) < 0);
	CHECK(isfinite(HIDE(DBL_MAX)) && !isfinite(HIDE(NAN)));
	CHECK(isnormal(HIDE(DBL_MIN)) && !isnormal(HIDE(DBL_MIN / 2)) && !isnormal(HIDE(0.0)));
	CHECK(__builtin_issubnormal(HIDE(DBL_MIN / 2)) && __builtin_iszero(HIDE(-0.0)));
	CHECK(signbit(HIDE(-0.0)) && !signbit(HIDE(0.0f)) && signbit(HIDE(-1.0L)));
	CHECK(isnan(HIDE((long double)NAN)) && isinf(HIDE((long double)INFINITY)));
	CHECK(isfinite(HIDE(LDBL_MAX)) && isnormal(HIDE(LDBL_MIN)) && !isnormal(HIDE(LDBL_MIN / 2)));
	CHECK(__builtin_isfpclass(HIDE(-1.5f), 0x8) && !__builtin_isfpclass(HIDE(1.5f), 0x8));
	CHECK(__builtin_isfpclass(HIDE(__builtin_nan("1")), 0x2));
	CHECK(fpclassify(HIDE(0.0)) == FP_ZERO && fpclassify(HIDE(INFINITY)) == FP_INFINITE);
	CHECK(fpclassify(HIDE(1e-310)) == FP_SUBNORMAL && fpclassify(HIDE(3.0f)) == FP_NORMAL);
}

static void functions(void)
{
	CHECK(__builtin_sqrt(HIDE(2.25)) == 1.5 && __builtin_fabs(HIDE(-3.0)) == 3);
	CHECK(__builtin_floor(HIDE(-1.5)) == -2 && __builtin_ceil(HIDE(-1.5)) == -1);
	CHECK(__builtin_trunc(HIDE(-1.5)) == -1 && __builtin_round(HIDE(2.5)) == 3);
	CHECK(__builtin_rint(HIDE(2.5)) == 2 && __builtin_nearbyint(HIDE(3.5)) == 4);
	CHECK(__builtin_roundeven(HIDE(2.5)) == 2);
	CHECK(__builtin_copysign(HIDE(3.0), HIDE(-0.0)) == -3);
	CHECK(__builtin_fmin(HIDE(1.0), HIDE(NAN)) == 1 && __builtin_fmaxf(HIDE(1.f), HIDE(2.f)) == 2);
	CHECK(__builtin_fma(HIDE(2.0), 3.0, 4.0) == 10);
	CHECK(__builtin_fabsl(HIDE(-3.0L)) == 3 && __builtin_floorl(HIDE(2.7L)) == 2);
	CHECK(HIDE(1.25) * HIDE(4.0) + HIDE(1.0) == 6); /* fmuladd */
}

static void complex_numbers(void)
{
	_Complex double z = HIDE(1.0) + HIDE(2.0) * 1.0i, w = z * z;
	_Complex float q = (float)HIDE(3.0f) - 1.0fi;

	CHECK(__real w == -3 && __imag w == 4);
	q = q + ~q;
	CHECK(__real q == 6 && __imag q == 0);
}

int main(void)
{
	constants();
	arithmetic();
	comparisons();
	classes();
	functions();
	complex_numbers();
	return 0;
}
