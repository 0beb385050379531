/*
 * Partition of a trace that is too long for one model (paper 002, §3.5) into *chunks*. Each chunk
 * is a concurrent trace program of its own, small enough for the solver.
 *
 * A chunk has a range of each thread's events, and a *prefix*: a set of events that contains all
 * events before these ranges and is closed under program order, observed reads-from and observed
 * synchronization. The prefix is executed as observed; events after the ranges are not executed. So
 * the prefix followed by a witness of the chunk is a run of the program: a violation in a chunk is
 * a violation of the program, and a chunk without one decides nothing about the rest of the run.
 *
 *	PARTITION_CUT          the prefix is a prefix of the observed order; then the next N events
 *	                       of every thread. Chunks overlap by half
 *	PARTITION_DISTRIBUTED  each thread's events are cut into windows of N; a chunk combines a
 *	                       window of each thread with any windows of the others (Fig. 9). The
 *	                       prefix is the closure of the events before the windows; where the
 *	                       closure contains events of a window, the window begins later
 *	PARTITION_WINDOW       N consecutive events of the observed order, of any thread (Fig. 9b):
 *	                       for comparison
 *
 * The number of chunks is a product, so only some are made, the most promising first: chunks whose
 * windows access the same cell, one of them with a write, without a common lock, at places in the
 * source that no earlier chunk has. The statistics count the rest.
 *
 * One pass over the trace in the fast mode indexes the threads' events (index.h); a
 * second one in the careful mode makes the terms of the chosen windows. Memory: 36 bytes for each
 * entry of the index and some for tables, about half a GB for 10^7 events.
 *
 * A chunk of two accesses that lie far apart may not exist: if the threads exchanged data in between,
 * the prefix of the later access contains the earlier one. Then the program can be run once more,
 * with the thread of the earlier access stopped before it until the other thread stands before the
 * later one (far_pair.h). The observed order of that run has a chunk with both accesses.
 *
 * A run of which only the end was recorded (`heddle record --window`, `--limit`) is one chunk.
 */
#ifndef HEDDLE_EXTRACT_PARTITION_H
#define HEDDLE_EXTRACT_PARTITION_H

#include "ctp/ctp.h"
#include "extract/far_pair.h"
#include "trace/trace.h"

enum partition_kind { PARTITION_CUT, PARTITION_DISTRIBUTED, PARTITION_WINDOW };

struct partition_options {
	enum partition_kind kind;
	uint32_t chunk;      /* N: events of a thread in a chunk (of all in a WINDOW); 0 = 1000 */
	uint32_t max_chunks; /* 0 = 64 */
	uint32_t jobs;
	uint64_t memory;     /* 0 = 1 GB */
	/* the choice of chunks ends so long after the call of partition_new(); 0 = 30. The passes
	 * over the run before it are not cut off */
	double seconds;
	/* not NULL: only the chunk of these two accesses */
	const struct far_pair *only;
};

struct partition_stats {
	double chunks;       /* number of possible chunks: a product, so it may be large */
	uint32_t taken, empty; /* chunks that were made; pairs without a possible chunk */
	uint32_t far; /* pairs of partition_next_far() */
	uint64_t events, inside; /* events of the run; entries of all chunks, with repetition */
	uint64_t instructions;
	uint32_t places, covered; /* places with shared accesses; those in some chunk */
};

struct partition;
/* NULL after error_(). The trace must outlive it. */
struct partition *partition_new(struct trace *t, const struct partition_options *opt);
void partition_free(struct partition *p);
const struct partition_stats *partition_stats(const struct partition *p);
/* The next of the chosen chunks, most promising first; NULL after the last, or after error_(). The
 * caller frees it, before the partition. The schedule of a witness begins with ctp.before. */
const struct ctp *partition_next(struct partition *p);
/* The next pair of accesses that no chunk has, and that another run may bring together, most
 * promising first; NULL after the last. Valid until partition_free(). */
const struct far_pair *partition_next_far(struct partition *p);
/* A trace program without events: its threads are those that the segments of far pairs name. */
const struct ctp *partition_threads(const struct partition *p);

/* Whether a trace should be partitioned, because it has too many events for one model. Cheap:
 * estimated from the size of its log. */
bool partition_wanted(const struct trace *t);

#endif
