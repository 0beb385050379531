/*
 * Chunks of a long run (partition.h): the past that they stand on, and the concurrent trace program
 * that they become.
 *
 * A *past* is a place in each thread's row of entries (partition_index.h). It is closed: whatever an
 * entry in it stands on is in it too. So it can be executed as observed, in the observed order, whatever
 * of the rest is left out. All of its places are clean borders, except where a thread would have to go
 * too far for that: then it *stays*, nothing of it is in the chunk, and whoever needs what it holds
 * stops before that.
 */
#ifndef HEDDLE_EXTRACT_PARTITION_CHUNK_H
#define HEDDLE_EXTRACT_PARTITION_CHUNK_H

#include "base/map.h"
#include "base/vec.h"
#include "extract/partition_index.h"

struct past_op {
	uint32_t thread, nth; /* in its history */
};
struct past_object { /* of synchronization */
	VEC(struct past_op) ops; /* that make it, or change a semaphore */
};

struct past_tables { /* what a thread's entries up to a place need of the others */
	const struct ix *ix;
	uint32_t *need;  /* by row and thread; a row for each PAST_STEP entries of a thread */
	uint32_t *first; /* by thread: its row for 0 entries */
	struct map objects; /* address -> object + 1 */
	VEC(struct past_object) at;
};
void past_tables_init(struct past_tables *p, const struct ix *ix);
void past_tables_release(struct past_tables *p);

struct chunk {
	uint32_t *from, *to; /* by thread: its part of the chunk; the past ends at from */
	struct ctp *c;
};
void chunk_init(struct chunk *k, const struct ix *ix);
void chunk_release(struct chunk *k);

/* Makes k->from a past, by as little as it takes. False if the observed order is not known to be right
 * there. */
bool chunk_close(const struct past_tables *p, struct chunk *k);
/* Takes from the ends of k what cannot be executed behind its past for want of something outside of it,
 * and moves them to borders. */
void chunk_trim(const struct past_tables *p, struct chunk *k);
/* The value of a cell at the past; false if it is not known. */
bool chunk_value(const struct ix *ix, const struct chunk *k, uint32_t cell, uint64_t *value);
/* What makes the past happen. */
void chunk_moves(const struct ix *ix, const struct chunk *k, struct ctp *c);
/* Type, count and value of the objects of c at the past. */
void chunk_objects(const struct past_tables *p, const struct chunk *k, struct extractor *x);

/* The programs of all chunks, in one careful pass. 0, or -1 after error_(). */
int chunks_extract(const struct past_tables *p, struct chunk *chunks, uint32_t n);

#endif
