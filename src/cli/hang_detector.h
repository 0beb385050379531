/*
 * Detects a process that hangs: all its threads wait for a futex without a time limit, and have
 * done so for some time. Only a signal or shared memory could still wake them.
 *
 * Needs /proc; without it no hang is detected.
 */
#ifndef HEDDLE_CLI_HANG_DETECTOR_H
#define HEDDLE_CLI_HANG_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hang_detector { /* zero before the first call */
	uint64_t work;     /* context switches of all threads at the last call */
	uint32_t nthreads;
	uint32_t still;    /* consecutive calls without a context switch */
};

/* Call it about every 50 ms. True after several consecutive calls without a change. */
bool hang_detector_look(struct hang_detector *h, pid_t pid);

#endif
