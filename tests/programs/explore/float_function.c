/*
 * check-name: functions without terms decide: their operands take each of their values
 * check-command: heddle explore -- $exe
 * check-finds: assert sine
 * check-finds: assert rest
 * check-flags: -lm
 */
#include <assert.h>
#include <heddle/heddle.h>
#include <math.h>

static unsigned char n;

int main(void)
{
	double y, z;

	heddle_input(&n, sizeof n, "n");
	y = sin((double)n);
	z = fmod(n, 7.0) + fma(n, n, 1.0);
	heddle_assume(n < 20);
#ifdef CORRECT
	assert(y <= 1 && z < 1000);
#else
	assert(!(y > 0.99));   /* BUG: sine */
	assert(z != 5 + 26.0); /* BUG: rest */
#endif
	return (int)z;
}
