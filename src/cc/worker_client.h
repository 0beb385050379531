/*
 * The worker (worker_main.h) as the driver uses it: started early, it gets its orders when the
 * compiler has finished, or is ended without orders.
 */
#ifndef HEDDLE_CC_WORKER_CLIENT_H
#define HEDDLE_CC_WORKER_CLIENT_H

#include "base/vec.h"

#include <sys/types.h>

struct worker_unit {
	char *why;    /* why its bitcode is not used; NULL = it is used */
	char *source; /* the file it was compiled from; NULL = unknown */
};

struct worker {
	pid_t pid;  /* 0 = not running */
	int order;  /* socket for the orders */
	int report; /* memory file with the answers */
	uint32_t nunits;
	/* the answers, after worker_finish() */
	VEC(struct worker_unit) units;
	VEC(char *) externs; /* functions that the merged module calls and does not define */
	char *failure;       /* why there is no answer; NULL = there is */
	uint32_t blamed;     /* the unit on which the worker crashed; UINT32_MAX = unknown */
};

/* The worker inherits the descriptors `keep`. If it cannot be started, failure is set and the other
 * functions do nothing. */
void worker_start(struct worker *w, const int *keep, uint32_t nkeep);
void worker_wrap(struct worker *w, const char *symbol, bool own);
/* fd >= 0: raw bitcode in that descriptor; else n bytes of the file. out: descriptor for the unit
 * after clean-up; -1 if the unit is only merged. */
void worker_unit(struct worker *w, const char *name, const char *path, uint64_t offset, uint64_t n,
	int fd, int out);
void worker_merge(struct worker *w, int out);
/* Sends "go" and waits for the answers. */
void worker_finish(struct worker *w);
/* Ends the worker if it is running, and frees the answers. */
void worker_release(struct worker *w);

#endif
