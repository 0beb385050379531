/*
 * check-name: the failure is a function that prints and aborts
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: assert here
 * check-force: SIGABRT
 */
#include "fail_shapes.h"
#include <assert.h>
#include <stdlib.h>

static void __attribute__((noinline)) die(const char *why)
{
	fprintf(stderr, "%s\n", why);
	abort();
}

static void *reader(void *arg)
{
	READ_BOTH(p, q);
	if (p != q) /* BUG: here */
		die("they differ");
	return arg;
}
