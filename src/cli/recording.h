/*
 * A recording from the image to the finished trace: the common part of `heddle record` and a
 * program that records itself (HEDDLE_OPTIONS).
 */
#ifndef HEDDLE_CLI_RECORDING_H
#define HEDDLE_CLI_RECORDING_H

#include "base/opt.h"
#include "image/image.h"
#include "log/collect.h"
#include "log/store.h"

struct recording_options {
	uint64_t limit, window; /* bytes of the log; chunks of each thread; 0: none; not both */
	struct opt_list exclude;
};

struct recording {
	struct image_file image;
	struct store_meta meta;
	struct store_writer *w;
	struct collector *c;
	uint64_t bytes; /* size of the written log; set by recording_finish() */
};

/* Builds the image, and creates the trace in `dir` and the memory for the log. argv: that of the
 * program. -1 after error_(), and then all is released. */
int recording_open(struct recording *r, const char *exe, int argc, char **argv, const char *dir,
	const struct recording_options *opt);
/* Executes the image in this process; returns only on failure, with errno. */
void recording_exec(const struct recording *r, char **argv);
/* Removes the trace, after the target could not be started. */
void recording_abandon(struct recording *r);
/* Collects the log until the target (pidfd) has ended. */
void recording_collect(struct recording *r, int pidfd);
/* After recording_collect(): completes the metadata. status: that of waitpid(); NULL: not known. -1
 * after error_(), also if a part of the trace could not be written. */
int recording_finish(struct recording *r, const int *status);
void recording_release(struct recording *r);

/* For a program that was started with HEDDLE_OPTIONS=record=DIR: executes its image, with a
 * collector in another process; after an error, the program itself. argv: the executable, then
 * its argv. Returns only if neither can be executed. */
#define SELF_COMMAND "record-self"
int record_self(int argc, char **argv);

#endif
