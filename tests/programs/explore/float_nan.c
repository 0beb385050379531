/*
 * check-name: a number that is none
 * check-command: heddle explore -- $exe
 * check-finds: assert nan
 */
#include <assert.h>
#include <heddle/heddle.h>

int main(void)
{
	double x = 0;

	heddle_input(&x, sizeof x, "x");
#ifdef CORRECT
	if (x != x)
		return 0;
#endif
	assert(x < 1.0 || x >= 1.0); /* BUG: nan */
	return 0;
}
