/*
 * check-name: floating point that decides nothing costs no query and no path
 * check-command: heddle explore -- $exe
 * check-finds: assert byte
 * check-flags: -lm
 */
#include <assert.h>
#include <heddle/heddle.h>
#include <math.h>

static double x[3], out[3];
static unsigned char n;

int main(void)
{
	double s = 0;

	heddle_input(x, sizeof x, "x");
	heddle_input(&n, sizeof n, "n");
	for (int k = 0; k < 50; k++)
		for (int i = 0; i < 3; i++) {
			s += x[i] * x[i] / (k + 1);
			out[i] = sqrt(s) + x[i] * s + sin(s) - fmod(x[i], 3.0);
		}
#ifdef CORRECT
	assert(n < 255 || n > 254);
#else
	assert(n != 77); /* BUG: byte */
#endif
	return n & 1;
}
