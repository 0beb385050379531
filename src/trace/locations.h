/*
 * Shared locations, exactly by run-time address and size: bytes that two threads touched, or a
 * thread and a signal handler, at least one of them writing. Bytes of different generations
 * (generations.h) at one address are different bytes.
 *
 * Each thread counts in a table of its own (struct touched), by the address where an access begins:
 * its size is that of the memory the thread touched, not that of the run. locations_build() merges
 * the tables, byte by byte.
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

struct cell { /* accesses of one thread that begin at an address of one generation; see touch() */
	uint64_t addr;
	uint32_t gen;
	uint32_t seen;          /* synchronization events of the thread at the last touch */
	uint32_t reads, writes; /* stop at their largest value */
	uint32_t locks;         /* lockset held at every touch */
	uint32_t func, insn;    /* of the first write, else of the first read */
	uint8_t read, written; /* bytes, at most up to the next multiple of 8; both 0: not in use */
	uint8_t atomic;        /* bit 0: an access was atomic; bit 1: one was not */
};

struct touched {
	const struct generations *g;
	const struct sync_order *o;
	struct locksets *sets;
	struct cell *cells; /* open addressing by address and generation */
	uint32_t n, cap;
	uint32_t *recent;        /* by address: index + 1 of the cell that was found for it last */
	uint32_t thread, events; /* synchronization events so far */
	uint64_t stack_lo, stack_hi; /* its own */
	uint64_t fixed_lo, fixed_hi; /* globals lie here, of which there is one generation */
	struct live_locals locals;
	struct held held;
};

void touched_init(struct touched *t, const struct generations *g, const struct sync_order *o,
	struct locksets *sets, uint32_t thread);
void touched_release(struct touched *t);
/* What the thread did next. */
void touched_sync(struct touched *t, const struct sync_event *e);
void touched_local(struct touched *t, uint64_t base, uint64_t size, uint32_t func, uint32_t local);
void touched_access(struct touched *t, uint64_t addr, uint64_t size, unsigned how, uint32_t func,
	uint32_t insn);
/* The generation that lies at the address for the thread now; 0 = none. */
uint32_t touched_generation(const struct touched *t, uint64_t addr);

struct location {
	uint64_t addr, size;
	uint32_t gen;     /* 0: a global, or not known */
	uint32_t locks;   /* held at all accesses */
	uint32_t threads; /* set of threads, see location_threads() */
	uint32_t nthreads;
	uint64_t reads, writes;
	uint32_t func, insn; /* an access, a write if there is one */
	bool atomic, plain;  /* accesses of these sorts */
};

struct thread_set { /* its last thread, and the set of the others */
	uint32_t rest, thread, n;
};
struct thread_sets {
	VEC(struct thread_set) at; /* 0 is empty */
	struct map by_pair;
};

struct locations {
	VEC(struct location) at; /* by generation, then address */
	struct thread_sets sets;
};

/* From the tables of all threads, by rising number. */
void locations_build(
	struct locations *l, struct touched *const *threads, uint32_t n, struct locksets *sets);
void locations_release(struct locations *l);
/* Adds the threads of a set. */
void location_threads(const struct locations *l, uint32_t set, struct bitset *out);

#endif
