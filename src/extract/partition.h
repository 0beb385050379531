/*
 * Traces that are too long to be taken whole (paper 002, §3.5): pieces of it, *chunks*, each as a
 * concurrent trace program of its own, small enough for the solver.
 *
 * A chunk is a range of each thread's own events, and a *past*: a set of events, closed under
 * thread order, observed reads-from and observed synchronization, that holds everything before
 * these ranges. The past happens as observed; what comes behind the ranges does not happen. So a
 * witness in a chunk, with the past before it, is a run of the program: whatever a chunk says is
 * true, and what it does not say is open.
 *
 *	PARTITION_CUT          the past is a prefix of the observed order; then the next N events of every
 *	                       thread. Chunks overlap by half
 *	PARTITION_DISTRIBUTED  each thread's events are cut into windows of N; a chunk takes one window of
 *	                       each thread, any with any (Fig. 9). The past is the closure of what lies
 *	                       before them; where that reaches into a window, the window begins later
 *	PARTITION_WINDOW       N consecutive events of the observed order, whoever's they are (Fig. 9b):
 *	                       for comparison
 *
 * There is a product of chunks. They come in the order of promise: windows that share cells one of
 * them writes, not both under the same lock, at places in the source that no chunk had yet. What
 * is not looked at is counted.
 *
 * One pass over the trace in the fast mode finds the threads' events (a few bytes each) and what
 * each window touches; a second one in the careful mode makes the terms of the windows that were
 * chosen. Memory: 40 bytes an event, half a GB for 10^7.
 *
 * A run of which only the end was recorded (`heddle record --window`, `--limit`) is one chunk.
 */
#ifndef HEDDLE_EXTRACT_PARTITION_H
#define HEDDLE_EXTRACT_PARTITION_H

#include "extract/ctp.h"
#include "trace/trace.h"

enum partition_kind { PARTITION_CUT, PARTITION_DISTRIBUTED, PARTITION_WINDOW };

struct partition_options {
	enum partition_kind kind;
	uint32_t chunk;      /* N: events of a thread in a chunk (of all in a WINDOW); 0 = 1000 */
	uint32_t max_chunks; /* 0 = 64 */
	uint32_t jobs;
	uint64_t memory;     /* 0 = 1 GB */
	double seconds;      /* for choosing chunks; 0 = 30. The passes over the run take what they take */
};

struct partition_stats {
	double chunks;       /* that there are: a product, so it may be large */
	uint32_t taken, empty; /* taken; dropped because the past leaves nothing of them */
	uint64_t events, inside; /* shared-memory and synchronization events of the run; in some chunk */
	uint64_t instructions;
	uint32_t places, covered; /* source places with shared accesses; of these in some chunk */
};

struct partition;
/* NULL after error_(). The trace must outlive it. */
struct partition *partition_new(struct trace *t, const struct partition_options *opt);
void partition_free(struct partition *p);
const struct partition_stats *partition_stats(const struct partition *p);
/* The chunks that were chosen, best first; NULL behind the last. It is the caller's, and lives as long
 * as the partition at most. Its witnesses begin with ctp.before. */
struct ctp *partition_next(struct partition *p);

/* Whether a trace should be partitioned: it has more events than can be taken whole. Cheap: from the size
 * of its log. */
bool partition_wanted(const struct trace *t);

#endif
