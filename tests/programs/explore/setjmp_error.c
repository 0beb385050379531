/*
 * check-name: an error that leaves several calls at once
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: use-after-free late
 */
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

static jmp_buf env;
static char *buffer;

static void check(unsigned char c)
{
	if (c == 0xff) {
		free(buffer);
#ifdef CORRECT
		buffer = NULL;
#endif
		longjmp(env, 1);
	}
}

int main(void)
{
	unsigned char c[2];

	if (read(0, c, 2) != 2)
		return 1;
	buffer = calloc(1, 8);
	if (setjmp(env)) {
		if (buffer)
			buffer[0] = 1; /* BUG: late */
		return 2;
	}
	check(c[0]);
	check(c[1] ^ c[0]);
	free(buffer);
	return 0;
}
