/*
 * Chooses the chunks of a long run (partition.h). It does not enumerate the product of windows, but
 * pairs of accesses of two threads to one cell, one of them a write. A few samples represent all
 * accesses of one thread at one place; each sample is paired
 *  - with the accesses of other threads to its cell that are nearest in the observed order
 *  - with the samples of other threads that access the same cell, at any time (DISTRIBUTED only)
 * Pairs without a common lock come first, of these the pairs with the rarest places. A pair becomes
 * a chunk that contains both accesses, unless some chunk has the two places already. When all pairs
 * of places are done, the rest of the budget is for pairs of the same places at other times. Two
 * nested lock operations that take the same locks in opposite orders are a pair too.
 */
#ifndef HEDDLE_EXTRACT_PARTITION_CHOOSE_H
#define HEDDLE_EXTRACT_PARTITION_CHOOSE_H

#include "extract/far_pair.h"
#include "extract/partition.h"
#include "extract/partition_chunk.h"

struct chunks { /* a VEC */
	struct chunk *at;
	uint32_t n, cap;
};

struct far_pairs { /* a VEC */
	struct far_pair *at;
	uint32_t n, cap;
};

/* Stops at clock_seconds() `until`. Fills taken, empty, inside, places, covered of st. far:
 * the pairs of places that are in no chunk, and may be in one of another run. */
void choose_chunks(const struct past_tables *p, const struct partition_options *opt, double until,
	struct chunks *out, struct far_pairs *far, struct partition_stats *st);

#endif
