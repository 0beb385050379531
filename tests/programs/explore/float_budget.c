/*
 * check-name: a query with floating point that is too hard ends with its budget, and the result is incomplete
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-run: --solver-seconds 1 => "the solver did not decide a branch: eager: floating point; z3:"
 */
#include <assert.h>
#include <heddle/heddle.h>

static double x[3];

int main(void)
{
	double s;

	heddle_input(x, sizeof x, "x");
	s = x[0];
	for (int k = 0; k < 8; k++)
		s = s * x[1] + x[2] / s;
	assert(s * s > 3.0 || s < 7.0);
	return 0;
}
