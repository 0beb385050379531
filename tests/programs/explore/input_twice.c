/*
 * check-name: two inputs of one name are two inputs
 * check-command: heddle explore -- $exe
 * check-finds: assert equal
 */
#include <assert.h>
#include <heddle/heddle.h>

static int ask(void)
{
	unsigned char c = 0;

	heddle_input(&c, sizeof c, "c");
	return c;
}

int main(void)
{
	int a = ask(), b = ask();

#ifdef CORRECT
	if (a != b)
		return 1;
#endif
	assert(a == b); /* BUG: equal */
	return 0;
}
