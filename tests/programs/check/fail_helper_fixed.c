/*
 * check-name: a failure in a function of its own that no schedule reaches
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#define KEEP
#include "fail_shapes.h"
#include <assert.h>

static void fail(void)
{
	assert(0 && "they differ");
}

static void *reader(void *arg)
{
	READ_BOTH(p, q);
	if (p != q)
		fail();
	return arg;
}
