/*
 * Shared locations by run-time address and size, exact to the byte: bytes that two threads, or a
 * thread and a signal handler, accessed, at least one of them with a write. Bytes of different
 * generations (generations.h) at one address are different bytes.
 *
 * Each thread counts its accesses in its own table (struct touched), by start address. The size of
 * the table is proportional to the memory that the thread accessed, not to the length of the run.
 * locations_build() merges the tables byte by byte.
 *
 * Lifetime: heap.
 */
#ifndef HEDDLE_TRACE_LOCATIONS_H
#define HEDDLE_TRACE_LOCATIONS_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/generations.h"
#include "trace/locksets.h"

enum { TOUCH_READ = 1, TOUCH_WRITE = 2, TOUCH_ATOMIC = 4 };

struct cell { /* accesses of one thread that begin at one address of one generation, split at
		 multiples of 8 */
	uint64_t addr;
	uint32_t gen;
	uint32_t seen;          /* number of the thread's events before the last access */
	uint32_t reads, writes; /* numbers of accesses; saturating */
	uint32_t locks;         /* lockset held at every access */
	uint32_t func, insn;    /* of the first write, else of the first read */
	uint8_t read, written; /* largest size in bytes, up to 8; both 0: not in use */
	uint8_t atomic;        /* bit 0: an access was atomic; bit 1: one was not */
};

struct touched {
	const struct generations *g;
	const struct sync_order *o;
	struct locksets *sets;
	struct cell *cells; /* open addressing by address and generation */
	uint32_t n, cap;
	uint32_t *recent;        /* by hash of the address: cell + 1 that was found last */
	uint32_t thread, events; /* thread; its synchronization events so far */
	uint64_t stack_lo, stack_hi; /* stack of the thread */
	uint64_t fixed_lo, fixed_hi; /* range of globals, which have no generations */
	struct live_locals locals;
	struct held held;
};

void touched_init(struct touched *t, const struct generations *g, const struct sync_order *o,
	struct locksets *sets, uint32_t thread);
void touched_release(struct touched *t);
/* The thread's next operation, in program order: synchronization, begin of a variable on its stack,
 * access (how: TOUCH_* bits). */
void touched_sync(struct touched *t, const struct sync_event *e);
void touched_local(struct touched *t, uint64_t base, uint64_t size, uint32_t func, uint32_t local);
void touched_access(struct touched *t, uint64_t addr, uint64_t size, unsigned how, uint32_t func,
	uint32_t insn);
/* The generation at the address at the thread's present place; 0 = none. */
uint32_t touched_generation(const struct touched *t, uint64_t addr);

struct location {
	uint64_t addr, size;
	uint32_t gen;     /* 0: a global, or unknown */
	uint32_t locks;   /* lockset held at all accesses */
	uint32_t threads; /* set of threads, see location_threads() */
	uint32_t nthreads;
	uint64_t reads, writes;
	uint32_t func, insn; /* of one access; of a write if there is one */
	bool atomic, plain;  /* an access was atomic; one was not */
};

struct thread_set { /* n threads: the largest, and the set of the rest */
	uint32_t rest, thread, n;
};
struct thread_sets {
	VEC(struct thread_set) at; /* 0 is empty */
	struct map by_pair;        /* rest << 32 | thread -> set */
};

struct locations {
	VEC(struct location) at; /* by generation, then address */
	struct thread_sets sets;
};

/* threads: the tables by thread number; NULL for a thread without one. */
void locations_build(
	struct locations *l, struct touched *const *threads, uint32_t n, struct locksets *sets);
void locations_release(struct locations *l);
/* Adds the threads of a set to `out`. */
void location_threads(const struct locations *l, uint32_t set, struct bitset *out);

#endif
