/*
 * check-name: setjmp, with a value that is symbolic
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert back
 */
#include <assert.h>
#include <setjmp.h>
#include <unistd.h>

static jmp_buf env;

static void leave(int v)
{
	longjmp(env, v);
}

int main(void)
{
	unsigned char c;
	int r;

	if (read(0, &c, 1) != 1)
		return 1;
	r = setjmp(env);
	if (r == 0)
		leave(c & 3);
#ifdef CORRECT
	assert(r >= 1 && r <= 3);
#else
	assert(r >= 1 && r <= 2); /* BUG: back */
#endif
	return 0;
}
