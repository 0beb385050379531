/*
 * Whether a process hangs for good: every thread of it waits in a futex without a time limit, and has
 * done so for a while. Nobody outside can end that, unless by a signal or shared memory.
 *
 * Needs /proc; where it cannot be read, nothing hangs.
 */
#ifndef HEDDLE_CLI_HANG_H
#define HEDDLE_CLI_HANG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hang { /* zero before the first call */
	uint64_t work;     /* of all threads at the last look: context switches */
	uint32_t nthreads;
	uint32_t still;    /* looks in a row at which nothing had moved */
};

/* A look, to be taken every 50 ms or so. True after several in a row that saw nothing move. */
bool hang_look(struct hang *h, pid_t pid);

#endif
