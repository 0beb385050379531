/*
 * A recording from the image to the finished trace: the common part of `heddle record` and a
 * program that records itself (HEDDLE_OPTIONS).
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
	uint64_t bytes; /* of the log; set by recording_finish() */
};

/* Builds the image, and creates the trace in `dir` and the memory for the log. argv: of the
 * program. -1 after error_(), with everything released. */
int recording_open(struct recording *r, const char *exe, int argc, char **argv, const char *dir,
	const struct recording_options *opt);
/* In the process that becomes the target; returns only if that fails, with errno. */
void recording_exec(const struct recording *r, char **argv);
/* Removes the trace, after the target could not be started. */
void recording_abandon(struct recording *r);
/* Collects until the target is dead. */
void recording_collect(struct recording *r, int pidfd);
/* After recording_collect(): completes the metadata. status: as waitpid() gives it, NULL = not known.
 * -1 after error_(), also if a part of the trace could not be written. */
int recording_finish(struct recording *r, const int *status);
void recording_release(struct recording *r);

/* A program that was started with HEDDLE_OPTIONS=record=DIR: executes its image, with a collector
 * in another process. argv: the executable, then its argv. Returns only if neither can be executed.
 * */
#define SELF_COMMAND "record-self"
int record_self(int argc, char **argv);

#endif
