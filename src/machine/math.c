/* Builtins for the scalar functions of <math.h> in three precisions, computed by the host. */
#include "machine/machine.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

static void out_f32(struct opnd *ret, float x)
{
	uint32_t b;

	memcpy(&b, &x, 4);
	ret->v = (struct val){b, 0};
}

static void out_f64(struct opnd *ret, double x)
{
	ret->v = (struct val){0};
	memcpy(&ret->v, &x, 8);
}

static void out_f80(struct opnd *ret, long double x)
{
	ret->v = (struct val){0};
	memcpy(&ret->v, &x, 10);
}

static float in_f32(const struct opnd *a)
{
	float x;

	memcpy(&x, &a->v, 4);
	return x;
}

static double in_f64(const struct opnd *a)
{
	double x;

	memcpy(&x, &a->v, 8);
	return x;
}

static long double in_f80(const struct opnd *a)
{
	long double x = 0;

	memcpy(&x, &a->v, 10);
	return x;
}

/* the signatures: F1..F3 have so many arguments of the precision, FI an int and FL a long as second
 * argument; IF and LF return int and long */
#define EACH_MATH(F1, F2, F3, FI, IF, LF, FL)                                                      \
	F1(acos) F1(asin) F1(atan) F1(cos) F1(sin) F1(tan) F1(acosh) F1(asinh) F1(atanh) F1(cosh)  \
	F1(sinh) F1(tanh) F1(exp) F1(exp2) F1(exp10) F1(expm1) F1(log) F1(log10) F1(log1p)         \
	F1(log2) F1(logb) F1(cbrt) F1(fabs) F1(sqrt) F1(erf) F1(erfc) F1(tgamma) F1(lgamma)        \
	F1(ceil) F1(floor) F1(nearbyint) F1(rint) F1(round) F1(trunc) F1(roundeven) F1(j0) F1(j1)  \
	F1(y0) F1(y1) F1(significand)                                                              \
	F2(atan2) F2(pow) F2(hypot) F2(fmod) F2(remainder) F2(drem) F2(copysign) F2(nextafter)     \
	F2(fdim) F2(fmax) F2(fmin) F2(scalb)                                                       \
	F3(fma)                                                                                    \
	FI(ldexp) FI(scalbn)                                                                       \
	FL(scalbln)                                                                                \
	IF(ilogb)                                                                                  \
	LF(lrint) LF(llrint) LF(lround) LF(llround)

#define FN(name)                                                                                   \
	static enum step name(struct machine *m, struct thread *t, const struct opnd *args,        \
		uint32_t nargs, struct opnd *ret)
#define HEAD (void)m, (void)t, (void)nargs

#define IN(p, i) in_##p(&args[i])
#define ALL3(X, n) X(n, f32, n##f) X(n, f64, n) X(n, f80, n##l)
#define DEF(f, p, host, ...)                                                                       \
	FN(math_##f##_##p)                                                                         \
	{                                                                                          \
		HEAD;                                                                              \
		__VA_ARGS__;                                                                       \
		return STEP_NEXT;                                                                  \
	}
#define D1(f, p, host) DEF(f, p, host, out_##p(ret, host(IN(p, 0))))
#define D2(f, p, host) DEF(f, p, host, out_##p(ret, host(IN(p, 0), IN(p, 1))))
#define D3(f, p, host) DEF(f, p, host, out_##p(ret, host(IN(p, 0), IN(p, 1), IN(p, 2))))
#define DI(f, p, host) DEF(f, p, host, out_##p(ret, host(IN(p, 0), (int)args[1].v.lo)))
#define DL(f, p, host) DEF(f, p, host, out_##p(ret, host(IN(p, 0), (long)args[1].v.lo)))
#define DR(f, p, host) DEF(f, p, host, ret->v = ((struct val){(uint64_t)host(IN(p, 0)), 0}))
#define X1(f) ALL3(D1, f)
#define X2(f) ALL3(D2, f)
#define X3(f) ALL3(D3, f)
#define XI(f) ALL3(DI, f)
#define XL(f) ALL3(DL, f)
#define XR(f) ALL3(DR, f)
EACH_MATH(X1, X2, X3, XI, XR, XR, XL)

static const struct {
	const char *name;
	builtin_fn fn;
} table[] = {
#define ROW(f, p, host) {#host, math_##f##_##p},
#define ROWS(f)         ALL3(ROW, f)
	EACH_MATH(ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS)
};

builtin_fn math_find(const char *name)
{
	/* glibc 2.31 removed the names for -ffast-math (__exp_finite and so on) */
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return table[i].fn;
	return NULL;
}
