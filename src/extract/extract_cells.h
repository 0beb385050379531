/*
 * The fast pass of the extraction: finds the bytes of memory that threads share, and cuts them into
 * cells (ctp.h).
 *
 * Bytes are shared if two threads access them, one of them with a write, after the main thread has
 * created the first thread. The thread that frees a block counts as a writer of the whole block,
 * unless it has joined all other threads that accessed the block. Cells are cut where an access
 * begins or ends, so that each access covers whole cells.
 *
 * *Published* bytes have no cells, because all threads read the same value there; the extraction
 * fixes the value that is written. Bytes are published if one thread writes them before it creates
 * the other threads that access them, or if it does not access them after it has created the only
 * other thread that does. Bytes that a signal handler or a foreign thread writes have no cells
 * either, because the order of such writes is not known.
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_CELLS_H
#define HEDDLE_EXTRACT_EXTRACT_CELLS_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "log/effects.h"
#include "log/hidden.h"
#include "extract/extract.h"
#include "trace/collect.h"
#include "trace/locations.h"
#include "trace/trace.h"

struct published {
	uint64_t addr, size;
	uint32_t gen, by; /* by: stream of the thread that published it */
};

enum { CELLS_LINE = 64 };

struct cell_index {
	VEC(struct published) published; /* by generation, then address */
	int32_t *pure;      /* by function: number in log/effects.h if it logs no reads; else -1 */
	uint32_t nfuncs;
	struct map lines;   /* lines of CELLS_LINE bytes that have a cell of some generation */
	struct map by_gen;  /* generation -> its first cell + 1 */
	struct bitset gens; /* generations with cells */
	struct bitset returned; /* generations of variables that a thread uses which was not joined
				   before their function returned */
	const struct hidden_fn **buffer; /* by function: hidden_buffer() */
	struct map buffers; /* address / 8 of a buffer of the library -> its row of log/hidden.def */
	uint64_t nforeign;  /* bytes that code outside of the model writes */
	uint64_t accesses;  /* accesses of all threads to all memory */
};

/* Fills c->cells, sorted by generation, then address. model: streams of the modelled threads. 0, or
 * -1 after error_(). */
int cells_build(struct cell_index *x, struct ctp *c, struct trace *t,
	const struct collected *sync, const struct bitset *model, const struct extract_options *opt);
/* Releases the index of the cells; the tables of the run, which chunks share. */
void cells_release(struct cell_index *x);
void cells_release_tables(struct cell_index *x);

/* False if no cell of any generation overlaps [addr, addr + size). */
bool cells_maybe(const struct cell_index *x, uint64_t addr, uint64_t size);
/* The first cell of the generation that ends after addr, or CTP_NONE. */
uint32_t cells_from(const struct cell_index *x, const struct ctp *c, uint32_t gen, uint64_t addr);

/* The row of log/hidden.def of the function whose result pointed to that address; NULL: none. */
const struct hidden_fn *cells_buffer(const struct cell_index *x, uint64_t addr);

/* Whether that thread published a byte of the range. */
bool cells_published(const struct cell_index *x, uint32_t by, uint32_t gen, uint64_t addr,
	uint64_t size);

/* The memory that a call of a library function has read, computed from its arguments and its
 * result, for functions of which only the result is logged. Returns the number of ranges; 0 for
 * others. */
enum { CELLS_RANGES = 8, CELLS_ARGS = 8 };
uint32_t cells_pure_reads(const struct cell_index *x, const struct follow *f, uint32_t callee,
	uint64_t result, const uint64_t *args, uint32_t nargs, struct effects_range *out);

struct cells_call { /* the current call of a thread, in a fast pass */
	uint64_t args[CELLS_ARGS];
	uint32_t nargs;
};
/* Notes a FOLLOW_CALL; gives the memory that a FOLLOW_RETURN has read, as cells_pure_reads(). */
uint32_t cells_call(const struct cell_index *x, struct cells_call *call, const struct follow *f,
	const struct follow_event *e, struct effects_range *out);

/* The events of a fast pass that needs all accesses. */
enum {
	CELLS_EVENTS = FOLLOW_BIT(FOLLOW_READ) | FOLLOW_BIT(FOLLOW_WRITE) | FOLLOW_BIT(FOLLOW_RMW) |
		       FOLLOW_BIT(FOLLOW_CAS_FAIL) | FOLLOW_BIT(FOLLOW_NATIVE_READ) |
		       FOLLOW_BIT(FOLLOW_NATIVE_WRITE) | FOLLOW_BIT(FOLLOW_LOCAL) |
		       FOLLOW_BIT(FOLLOW_SYNC) | FOLLOW_BIT(FOLLOW_BEGIN) | FOLLOW_BIT(FOLLOW_END) |
		       FOLLOW_BIT(FOLLOW_RETURN)
};

#endif
