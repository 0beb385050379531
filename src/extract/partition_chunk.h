/*
 * Chunks of a long run (partition.h): the prefix of a chunk, and the concurrent trace program that
 * the chunk becomes. Names in the code call the prefix "past".
 *
 * A *prefix* is a position in each thread's row of entries (index.h). It is closed: it
 * contains all entries that its entries depend on. So the program can execute it in the observed
 * order without the other entries. Each position is a clean border, except where the next clean
 * border of a thread is too far: then the thread *stays*. It has no events in the chunk, and the
 * other threads stop before an operation on an object that it holds.
 */
#ifndef HEDDLE_EXTRACT_PARTITION_CHUNK_H
#define HEDDLE_EXTRACT_PARTITION_CHUNK_H

#include "base/map.h"
#include "base/vec.h"
#include "extract/index.h"

struct past_op {
	uint32_t thread, nth; /* nth: index in the thread's synchronization events */
};
struct past_object { /* of synchronization */
	VEC(struct past_op) ops; /* inits, semaphore operations, barrier enters; by rank */
};

struct past_tables { /* entries of other threads that the first n entries of a thread need */
	const struct ix *ix;
	uint32_t *need;  /* by row and thread: number of entries; a row per PAST_STEP entries */
	uint32_t *first; /* by thread: its row for n = 0 */
	struct map objects; /* address -> object + 1 */
	VEC(struct past_object) at;
};
void past_tables_init(struct past_tables *p, const struct ix *ix);
void past_tables_release(struct past_tables *p);

/* The next clean border of the thread from the position on; if that is too far, the next border. */
uint32_t past_settle(const struct ix *ix, uint32_t t, uint32_t pos);
/* The scheduling point before which the thread stands when it has executed its entries before pos. */
uint64_t past_point(const struct ix *ix, uint32_t t, uint32_t pos);

struct chunk {
	uint32_t *from, *to; /* by thread: its entries [from, to); the prefix ends at from */
	const struct ctp *c; /* NULL: not extracted yet, or given to the caller */
};
void chunk_init(struct chunk *k, const struct ix *ix);
void chunk_release(struct chunk *k);

/* Extends k->from to the smallest prefix that contains it. False if the observed order of the
 * prefix is not exact. */
bool chunk_close(const struct past_tables *p, struct chunk *k);
/* Reduces k->to to borders, until every synchronization in k can be executed after the prefix with
 * the entries that are left. */
void chunk_trim(const struct past_tables *p, struct chunk *k);
/* The value of a cell at the end of the prefix; false if it is not known. */
bool chunk_value(const struct ix *ix, const struct chunk *k, uint32_t cell, uint64_t *value);
/* Fills c->before with the segments that execute the prefix. */
void chunk_moves(const struct ix *ix, const struct chunk *k, struct ctp *c);
/* Sets type, count and value of the objects of x->c to those at the end of the prefix. */
void chunk_objects(const struct past_tables *p, const struct chunk *k, struct extractor *x);

/* Makes the programs of all chunks in one pass over the trace. 0, or -1 after error_(). */
int chunks_extract(const struct past_tables *p, struct chunk *chunks, uint32_t n);

#endif
