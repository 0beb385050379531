/*
 * Which chunks of a long run are worth a look (partition.h). The product of windows is never made:
 * what is looked for are pairs of accesses of two threads to one cell, one of them writing. Of each
 * place in the source and thread a few accesses stand for all; each of them is paired
 *  - with what other threads did to its cell about the same time
 *  - with the accesses that stand for other places and have the same cell, whenever they were
 *    (DISTRIBUTED only)
 * Pairs without a common lock come first, of these those of the rarest places. A pair becomes a chunk
 * that has both, unless some chunk has its two places already; when all places are done, what is left
 * of the budget goes to pairs of the same places at other times. Locks taken in opposite orders are
 * pairs too.
 */
#ifndef HEDDLE_EXTRACT_PARTITION_CHOOSE_H
#define HEDDLE_EXTRACT_PARTITION_CHOOSE_H

#include "extract/partition.h"
#include "extract/partition_chunk.h"

struct chunks { /* a VEC */
	struct chunk *at;
	uint32_t n, cap;
};

/* Until that clock_seconds() at most. Counts taken, empty, inside, places, covered. */
void choose_chunks(const struct past_tables *p, const struct partition_options *opt, double until,
	struct chunks *out, struct partition_stats *st);

#endif
