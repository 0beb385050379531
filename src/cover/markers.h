/*
 * Epoch markers (paper 000, 2.1 and 3.1, Figure 2): places that divide every run into bounded epochs.
 * Between two markers a thread executes a bounded number of synchronization operations, so the
 * schedules of an epoch have bounded length.
 *
 * Markers are placed at the headers of loops that may synchronize, bottom-up over the call graph. Three
 * prunings keep them few; each can be turned off:
 *  - trivial loops have none: those that only wait for a condition variable (they are bounded if the
 *    signals are), and those that only create or only join threads (bounded by the number of threads)
 *  - a loop whose every iteration executes a marker of an inner loop or of a callee has none itself
 *  - pthread_barrier_wait is a marker, where a loop would need one without it
 * heddle_epoch() in the source is a marker, too. A recursive function that synchronizes has a
 * marker at its entry, unless every recursion passes one. An irreducible loop has one at each of its
 * entries.
 *
 * A marker is before its instruction. Lifetime: heap, markers_free().
 */
#ifndef HEDDLE_COVER_MARKERS_H
#define HEDDLE_COVER_MARKERS_H

#include "cover/sync_ops.h"

enum marker_kind { MARKER_LOOP, MARKER_RECURSION, MARKER_BARRIER, MARKER_SOURCE };

struct marker {
	uint32_t func, insn;
	enum marker_kind kind;
};

struct marker_options {
	bool trivial;      /* place markers in trivial loops, too */
	bool twice;        /* place markers in loops that are covered already, too */
	bool barriers;     /* barriers are ordinary synchronization operations */
	bool all_barriers; /* every barrier is a marker */
};

struct markers;

struct markers *markers_place(const struct sync_ops *so, const struct marker_options *opt);
void markers_free(struct markers *ms);
/* All markers, by function and instruction. */
const struct marker *markers_list(const struct markers *ms, uint32_t *n);
/* The marker before the instruction, or NULL. */
const struct marker *marker_at(const struct markers *ms, uint32_t func, uint32_t insn);
const char *marker_kind_name(enum marker_kind kind);

#endif
