/*
 * check-name: the failure is a call of abort() in a block
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: assert here
 * check-force: SIGABRT
 */
#include "fail_shapes.h"
#include <assert.h>
#include <stdlib.h>

static void *reader(void *arg)
{
	READ_BOTH(p, q);
	if (p != q) { /* BUG: here */
		fprintf(stderr, "%d and %d\n", p, q);
		abort();
	}
	return arg;
}
