/* <math.h> through pointers, and the classes, against glibc. */
#include "diff.h"
#include <math.h>

MODEL(frexp);
MODEL(frexpf);
MODEL(frexpl);
MODEL(modf);
MODEL(modff);
MODEL(modfl);
MODEL(remquo);
MODEL(remquof);
MODEL(remquol);
MODEL(lgamma_r);
MODEL(nexttoward);
MODEL(nexttowardf);
MODEL(nan);
MODEL(nanf);
MODEL(nanl);
#define CLASS(name) \
	int m_##name(double), m_##name##f(float), m_##name##l(long double); \
	int name(double), name##f(float), name##l(long double)
CLASS(__fpclassify);
CLASS(__signbit);
CLASS(__isinf);
CLASS(__isnan);
CLASS(__finite);
MODEL(div);
MODEL(ldiv);
MODEL(a64l);
MODEL(l64a);

static int same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static int same_long(long double a, long double b)
{
	return memcmp(&a, &b, 10) == 0 || (a != a && b != b);
}

#define SAME_F(a, b, ...) SAME_INT(1, same_double(a, b), __VA_ARGS__)
#define SAME_L(a, b, ...) SAME_INT(1, same_long(a, b), __VA_ARGS__)

static long double rnd_long(void)
{
	union {
		struct {
			uint64_t m;
			uint16_t e;
		} bits;
		long double x;
	} u = {.x = 0};

	if (one_in(2))
		return (long double)rnd_double() * (one_in(3) ? 1e-4920L : 1);
	u.bits.m = rnd() | 1ull << 63;
	u.bits.e = (uint16_t)rnd();
	if (!(u.bits.e & 0x7fff))
		u.bits.m &= ~(1ull << 63);
	return u.x;
}

static void parts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(30000); i++) {
		double x = rnd_double(), wa, wb;
		float f = (float)x, fa, fb;
		long double l = rnd_long(), la, lb;
		int ea = 0, eb = 0;
		SAME_F(frexp(x, &ea), m_frexp(x, &eb), "frexp %a", x);
		if (isfinite(x))
			SAME_INT(ea, eb, "exponent of frexp %a", x);
		SAME_F(frexpf(f, &ea), m_frexpf(f, &eb), "frexpf %a", f);
		if (isfinite(f))
			SAME_INT(ea, eb, "exponent of frexpf %a", f);
		SAME_L(frexpl(l, &ea), m_frexpl(l, &eb), "frexpl %La", l);
		if (isfinite(l))
			SAME_INT(ea, eb, "exponent of frexpl %La", l);
		SAME_F(modf(x, &wa), m_modf(x, &wb), "modf %a", x);
		SAME_F(wa, wb, "modf %a", x);
		SAME_F(modff(f, &fa), m_modff(f, &fb), "modff %a", f);
		SAME_F(fa, fb, "modff %a", f);
		SAME_L(modfl(l, &la), m_modfl(l, &lb), "modfl %La", l);
		SAME_L(la, lb, "modfl %La", l);
		ea = eb = 9;
		SAME_F(lgamma_r(x, &ea), m_lgamma_r(x, &eb), "lgamma_r %a", x);
		SAME_INT(ea, eb, "sign of lgamma_r %a", x);
	}
}

static void quotients(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(30000); i++) {
		double x = rnd_double(), y = rnd_double();
		float f = (float)x, g = (float)y;
		long double l = rnd_long(), k = rnd_long();
		int qa = 0, qb = 0;
		if (one_in(2)) {
			y = x / (double)(1 + below(40)) * 2;
			g = f / (float)(1 + below(40)) * 2;
		}
		SAME_F(remquo(x, y, &qa), m_remquo(x, y, &qb), "remquo %a %a", x, y);
		if (isfinite(x) && !isnan(y) && y != 0)
			SAME_INT(qa, qb, "quotient of remquo %a %a", x, y);
		SAME_F(remquof(f, g, &qa), m_remquof(f, g, &qb), "remquof %a %a", f, g);
		if (isfinite(f) && !isnan(g) && g != 0)
			SAME_INT(qa, qb, "quotient of remquof %a %a", f, g);
		SAME_L(remquol(l, k, &qa), m_remquol(l, k, &qb), "remquol %La %La", l, k);
		if (isfinite(l) && !isnan(k) && k != 0)
			SAME_INT(qa, qb, "quotient of remquol %La %La", l, k);
		SAME_F(nexttoward(x, l), m_nexttoward(x, l), "nexttoward %a %La", x, l);
		SAME_F(nexttowardf(f, l), m_nexttowardf(f, l), "nexttowardf %a %La", f, l);
	}
}

static void classes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(20000); i++) {
		double x = rnd_double();
		float f = (float)x;
		long double l = rnd_long();
#define SAME_CLASS(name) \
	SAME_INT(name(x), m_##name(x), #name " %a", x); \
	SAME_INT(name##f(f), m_##name##f(f), #name "f %a", f); \
	SAME_INT(name##l(l), m_##name##l(l), #name "l %La", l)
		SAME_CLASS(__fpclassify);
		SAME_INT(__signbit(x) != 0, m___signbit(x) != 0, "signbit %a", x);
		SAME_INT(__signbitf(f) != 0, m___signbitf(f) != 0, "signbitf %a", f);
		SAME_INT(__signbitl(l) != 0, m___signbitl(l) != 0, "signbitl %La", l);
		SAME_CLASS(__isinf);
		SAME_INT(__isnan(x) != 0, m___isnan(x) != 0, "isnan %a", x);
		SAME_INT(__isnanl(l) != 0, m___isnanl(l) != 0, "isnanl %La", l);
		SAME_INT(__finite(x) != 0, m___finite(x) != 0, "finite %a", x);
		SAME_INT(__finitel(l) != 0, m___finitel(l) != 0, "finitel %La", l);
	}
}

static void nans(void **state)
{
	static const char *const tags[] = {
		"", "1", "0x123", "077", "nonsense", "12x", "0xfffffffffffff"};

	(void)state;
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		double a = nan(tags[i]), b = m_nan(tags[i]);
		float fa = nanf(tags[i]), fb = m_nanf(tags[i]);
		long double la = nanl(tags[i]), lb = m_nanl(tags[i]);
		SAME_MEM(&a, &b, sizeof a, "nan '%s'", tags[i]);
		SAME_MEM(&fa, &fb, sizeof fa, "nanf '%s'", tags[i]);
		SAME_MEM(&la, &lb, 10, "nanl '%s'", tags[i]);
	}
}

static void integers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(1000); i++) {
		long a = (long)rnd_edge() / 2, b = (long)(rnd() % 1000) + 1;
		ldiv_t x = ldiv(a, b), y = m_ldiv(a, b);
		SAME_MEM(&x, &y, sizeof x, "ldiv %ld %ld", a, b);
		SAME_STR(l64a(a), m_l64a(a), "l64a %ld", a);
		SAME_INT(a64l(l64a(a)), m_a64l(m_l64a(a)), "a64l %ld", a);
	}
	SAME_INT(a64l("zz*z"), m_a64l("zz*z"), "a64l");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(quotients),
		cmocka_unit_test(classes),
		cmocka_unit_test(nans),
		cmocka_unit_test(integers),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
