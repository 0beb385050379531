/*
 * What a search knows, on disk: DIR/frontier.db (SQLite) beside the traces DIR/run-N. Written as things
 * happen, each time in one transaction, so that a killed search can go on.
 *
 *	meta      what it is of: bitcode, arguments, input, patterns, heddle itself
 *	runs      made: their schedules, what became of them, the flip that each was to show
 *	queue     flips that wait for their run
 *	findings  that were told, as JSON: who goes on with the search is told again
 *
 * Paths, and what is shared, come from the traces again. One process at a time works in a folder
 * (DIR/lock).
 */
#ifndef HEDDLE_DEEP_FRONTIER_H
#define HEDDLE_DEEP_FRONTIER_H

#include "deep/deep_in.h"

/* Opens it; without opt->resume, or if there is none yet, makes it anew, and what was there is removed.
 * NULL after error_(), also if it belongs to something else. */
struct frontier *frontier_open(const struct deep_options *opt);
void frontier_close(struct frontier *f);

/* A folder with all that is in it. */
void frontier_remove(const char *dir);
/* Runs and queue as they were; what was found is told. */
int frontier_load(struct frontier *f, struct deep *d);
/* Runs that are not there yet, and the whole queue. */
int frontier_save(struct frontier *f, const struct deep *d);
int frontier_predicted(struct frontier *f, const struct deep_run *r);
int frontier_found(struct frontier *f, const struct finding *found);

#endif
