/*
 * The driver's end of the worker (worker.h): started early, given its order when the compiler is
 * done, or given up.
 */
#ifndef HEDDLE_CC_WORKER_CLIENT_H
#define HEDDLE_CC_WORKER_CLIENT_H

#include "base/vec.h"

#include <sys/types.h>

struct worker_unit {
	char *why;    /* why it was left out; NULL = it was taken in */
	char *source; /* the file it was compiled from; NULL = not known */
};

struct worker {
	pid_t pid;  /* 0 = not running */
	int order;  /* socket */
	int report; /* memory file */
	uint32_t nunits;
	VEC(struct worker_unit) units; /* answers, after worker_finish */
	VEC(char *) externs;
	char *failure;   /* why nothing came of it at all */
	uint32_t blamed; /* the unit it crashed over; UINT32_MAX = none in particular */
};

/* The worker inherits the descriptors `keep`. If it cannot be started, failure is set, and the
 * other functions do nothing. */
void worker_start(struct worker *w, const int *keep, uint32_t nkeep);
void worker_wrap(struct worker *w, const char *symbol, bool own);
/* fd >= 0: bitcode in that descriptor, raw; else n bytes in the file. out < 0: only for a merge. */
void worker_unit(struct worker *w, const char *name, const char *path, uint64_t offset, uint64_t n,
	int fd, int out);
void worker_merge(struct worker *w, int out);
/* Waits for the answers. */
void worker_finish(struct worker *w);
/* Ends the worker if it runs, and frees the answers. */
void worker_release(struct worker *w);

#endif
