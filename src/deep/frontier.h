/*
 * The state of a search on disk: DIR/frontier.db (SQLite) beside the traces DIR/run-N. Each update
 * is one transaction, so that a killed search can be resumed.
 *
 * 	meta      bitcode, arguments, input, patterns and version of heddle of the search; the seal, a
 * 	          checksum of all rows
 * 	runs      their schedules and outcomes, and the flip that each run was made for
 * 	queue     flips that wait for a run
 * 	recorded  directories of the recorded runs
 * 	findings  as JSON: a resumed search reports them again
 *
 * Paths and shared bytes are computed from the traces again. A lock file (DIR/lock) keeps other
 * processes out of the directory.
 */
#ifndef HEDDLE_DEEP_FRONTIER_H
#define HEDDLE_DEEP_FRONTIER_H

#include "deep/deep_internal.h"

/* Opens the frontier. Without opt->resume, removes it and its traces first. NULL after error_(),
 * also if the frontier is damaged, or belongs to another program, arguments, input or version of
 * heddle. */
struct frontier *frontier_open(const struct deep_options *opt);
void frontier_close(struct frontier *f);

/* Removes a directory with its contents. */
void frontier_remove(const char *dir);
/* Loads runs and queue, and reports the findings. -1 after error_(), as the functions below. */
int frontier_load(struct frontier *f, struct deep *d);
/* Writes the runs that are not saved yet, and the whole queue. */
int frontier_save(struct frontier *f, const struct deep *d);
int frontier_predicted(struct frontier *f, const struct deep_run *r);
int frontier_found(struct frontier *f, const struct finding *found);

#endif
