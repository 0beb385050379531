/*
 * check-name: the failure is a trap behind two functions
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: assert here
 * check-force: SIGILL
 */
#include "fail_shapes.h"
#include <assert.h>
#include <stdlib.h>

static void __attribute__((noinline)) stop(void)
{
	__builtin_trap();
}

static void __attribute__((noinline)) bad(int p)
{
	fprintf(stderr, "%d\n", p);
	stop();
}

static void *reader(void *arg)
{
	READ_BOTH(p, q);
	if (p != q) /* BUG: here */
		bad(p);
	return arg;
}
