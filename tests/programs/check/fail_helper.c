/*
 * check-name: the failure is an assertion in a function of its own
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: assert here
 * check-force: SIGABRT
 */
#include "fail_shapes.h"
#include <assert.h>
#include <stdlib.h>

static void fail(void)
{
	assert(0 && "they differ");
}

static void *reader(void *arg)
{
	READ_BOTH(p, q);
	if (p != q) /* BUG: here */
		fail();
	return arg;
}
