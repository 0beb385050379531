/*
 * check-name: complex products and quotients, with their infinities
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>

static const double parts[] = {0.0, -0.0, 1.5, -2.25, 1e30, 3e-30, INFINITY, -INFINITY, NAN};
enum { N = sizeof parts / sizeof parts[0] };

static void show(double x)
{
	if (isnan(x)) /* its sign is not specified */
		printf(" nan");
	else
		printf(" %a", x);
}

int main(void)
{
	volatile float _Complex f = 1.5f + 2.5f * I;
	volatile long double _Complex l = 3.0L - 4.0L * I;
	long double _Complex q = l / (1.25L + 7.5L * I);

	for (int i = 0; i < N * N; i++)
		for (int k = 0; k < N * N; k += 4) {
			double _Complex a = __builtin_complex(parts[i / N], parts[i % N]);
			double _Complex b = __builtin_complex(parts[k / N], parts[k % N]);
			double _Complex p = a * b, d = a / b;

			show(creal(p));
			show(cimag(p));
			show(creal(d));
			show(cimag(d));
			putchar('\n');
		}
	f = f * f / (f + 1);
	printf("%a %La\n", __builtin_powi(parts[3], (int)creall(l)), l * l == q ? 1.0L : creall(l));
	printf("%a %a %La %La\n", (double)crealf(f), (double)cimagf(f), creall(q), cimagl(q));
	return 0;
}
