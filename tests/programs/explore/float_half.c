/*
 * check-name: a condition on a float
 * check-command: heddle explore -- $exe
 * check-finds: assert half
 */
#include <assert.h>
#include <heddle/heddle.h>

int main(void)
{
	float x = 0;

	heddle_input(&x, sizeof x, "x");
	if (!(x > 1.0f && x < 2.0f))
		return 0;
#ifdef CORRECT
	assert(x * 2.0f > 2.0f);
#else
	assert(x * 2.0f != 3.0f); /* BUG: half */
#endif
	return 0;
}
