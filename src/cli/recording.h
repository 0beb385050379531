/*
 * A recording from the image to the finished trace: what `heddle record` and a program that records
 * itself (HEDDLE_OPTIONS) have in common.
 */
#ifndef HEDDLE_CLI_RECORDING_H
#define HEDDLE_CLI_RECORDING_H

#include "base/opt.h"
#include "log/collect.h"
#include "log/store.h"

struct recording_options {
	uint64_t limit, window; /* 0 = none, and not both */
	struct opt_list exclude;
};

struct recording {
	char *image;
	struct store_meta meta;
	struct store_writer *w;
	struct collector *c;
	uint64_t bytes; /* of log, when it is finished */
};

/* The image, the trace in `dir` and the memory for the log; argv is the program's. -1 after
 * error_(): nothing is left then. */
int recording_open(struct recording *r, const char *exe, int argc, char **argv, const char *dir,
	const struct recording_options *opt);
/* In the process that becomes the target; returns only if that fails, with errno. */
void recording_exec(const struct recording *r, char **argv);
/* The target could not be started: the trace is removed. */
void recording_abandon(struct recording *r);
/* Collects until the target is dead. */
void recording_collect(struct recording *r, int pidfd);
/* After recording_collect(): the last words of meta. status: as waitpid() gives it, NULL = not
 * known. -1 after error_(), or if the trace could not be written to its end. */
int recording_finish(struct recording *r, const int *status);
void recording_release(struct recording *r);

/* A program that was started with HEDDLE_OPTIONS=record=DIR: becomes its image, with a collector
 * beside it. argv: the executable, then its argv. Does not come back unless nothing can be run. */
#define SELF_COMMAND "record-self"
int record_self(int argc, char **argv);

#endif
