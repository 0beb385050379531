/*
 * Which bytes of memory two threads share, and how they are cut into cells (ctp.h): the fast pass
 * of the extraction.
 *
 * Bytes are shared if two threads touch them and one of them writes, after the main thread has
 * started the first of the others. Who frees a block writes all of it, unless those who touched it
 * are known to have ended before. Cells are cut where an access begins or ends, so that each access
 * has whole cells.
 *
 * Bytes that one thread writes before it starts those who touch them too are *published*: they have
 * no cells, for everybody reads the same, and what is written there is fixed. So are bytes that it
 * does not touch any more once it has started the only other thread that does. Bytes that a signal
 * handler or a foreign thread writes have no cells either: nothing is known about when.
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_CELLS_H
#define HEDDLE_EXTRACT_EXTRACT_CELLS_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "log/effects.h"
#include "extract/extract.h"
#include "trace/collect.h"
#include "trace/locations.h"
#include "trace/trace.h"

struct published {
	uint64_t addr, size;
	uint32_t gen, by; /* by: the thread that wrote it first */
};

enum { CELLS_LINE = 64 };

struct cell_index {
	VEC(struct published) published; /* by generation, then address */
	int32_t *pure;      /* by function: number in log/effects.h of those that log no reads, -1 */
	uint32_t nfuncs;
	struct map lines;   /* groups of CELLS_LINE bytes with a cell in some generation */
	struct map by_gen;  /* generation -> its first cell + 1 */
	struct bitset gens; /* generations with cells */
	uint64_t nforeign;  /* bytes that code outside of the model writes */
	uint64_t accesses;  /* all that were seen */
};

/* Fills c->cells, by generation and address. model: the threads that are modelled. 0, or -1 after
 * error_(). */
int cells_build(struct cell_index *x, struct ctp *c, struct trace *t,
	const struct collected *sync, const struct bitset *model, const struct extract_options *opt);
void cells_release(struct cell_index *x);

/* Whether there may be a cell in [addr, addr + size). */
bool cells_maybe(const struct cell_index *x, uint64_t addr, uint64_t size);
/* The first cell of the generation that ends after addr, or CTP_NONE. */
uint32_t cells_from(const struct cell_index *x, const struct ctp *c, uint32_t gen, uint64_t addr);

/* A part of the range is published by that thread. */
bool cells_published(const struct cell_index *x, uint32_t by, uint32_t gen, uint64_t addr,
	uint64_t size);

/* What a call of a library function that logs nothing but its result has read, by that and its
 * arguments. How many ranges there are; 0 for other functions. */
enum { CELLS_RANGES = 8, CELLS_ARGS = 8 };
uint32_t cells_pure_reads(const struct cell_index *x, const struct follow *f, uint32_t callee,
	uint64_t result, const uint64_t *args, uint32_t nargs, struct effects_range *out);

/* The generation at the address; of a block that only lies there at another time as far as the order
 * of synchronization knows, which between threads is often a guess, that one. 0 = none. */
uint32_t cells_generation(const struct touched *t, uint64_t addr);

/* The range that globals of the program lie in: there is one generation of each. */
void cells_fixed_range(struct touched *t, const struct trace *tr);

#endif
