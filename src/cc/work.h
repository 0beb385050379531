/*
 * The driver's end of the worker (worker.h): started early, given its order when the compiler is
 * done, or given up.
 */
#ifndef HEDDLE_CC_WORK_H
#define HEDDLE_CC_WORK_H

#include "base/vec.h"

#include <sys/types.h>

struct work_unit {
	char *why;    /* why it was left out; NULL = it was taken in */
	char *source; /* the file it was compiled from; NULL = not known */
};

struct work {
	pid_t pid;  /* 0 = not running */
	int order;  /* socket */
	int report; /* memory file */
	uint32_t nunits;
	VEC(struct work_unit) units; /* answers, after work_finish */
	VEC(char *) externs;
	char *failure;   /* why nothing came of it at all */
	uint32_t blamed; /* the unit it crashed over; UINT32_MAX = none in particular */
};

/* The worker inherits the descriptors `keep`. If it cannot be started, failure is set, and the
 * other functions do nothing. */
void work_start(struct work *w, const int *keep, uint32_t nkeep);
void work_wrap(struct work *w, const char *symbol, bool own);
/* fd >= 0: bitcode in that descriptor, raw; else n bytes in the file. out < 0: only for a merge. */
void work_unit(struct work *w, const char *name, const char *path, uint64_t offset, uint64_t n,
	int fd, int out);
void work_merge(struct work *w, int out);
/* Waits for the answers. */
void work_finish(struct work *w);
/* Ends the worker if it runs, and frees the answers. */
void work_release(struct work *w);

#endif
