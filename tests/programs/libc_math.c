/*
 * check-name: mathematics
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>

int main(void)
{
	static const double values[] = {
		0.0, -0.0, 0.5, -1.75, 3.0, 1e10, 1e-310, INFINITY, -INFINITY, NAN};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		double x = values[i], whole, s, c;
		int e = 0, q = 0;
		double m = frexp(x, &e), f = modf(x, &whole), r = remquo(x, 0.7, &q);
		sincos(x, &s, &c);
		printf("%a %a %d %a %a %a\n", x, m, isfinite(x) ? e : 0, f, whole,
			isnan(r) ? 0 : r);
		printf(" %d %d %d %d %d\n", fpclassify(x), isnan(x) != 0, isinf(x) != 0,
			signbit(x) != 0, isnormal(x) != 0);
		printf(" %.12g %.12g %.12g %.12g %ld\n", isnan(s) ? 0 : s, sqrt(fabs(x)), floor(x),
			exp(-fabs(x)), lrint(isfinite(x) && fabs(x) < 1e9 ? x : 0));
	}
	printf("%.17g %.9g %.20Lg\n", pow(2, 0.5), (double)sinf(1), cosl(1));
	printf("%g %g %g\n", fmod(7, 3), hypot(3, 4), ldexp(1, 10));
	return 0;
}
