/*
 * Traces of the shapes that prediction meets, made up: threads that read, write and lock, in
 * observed order. Values are terms over the symbols of the reads.
 */
#ifndef HEDDLE_BENCH_SMT_SHAPES_H
#define HEDDLE_BENCH_SMT_SHAPES_H

#include "base/vec.h"
#include "term/term.h"

enum event_kind {
	EV_READ,
	EV_WRITE,
	EV_ACQUIRE,
	EV_RELEASE,
	EV_FORK,
	EV_JOIN,
	EV_GUARD,
	EV_ASSERT
};

#define NO_EVENT   UINT32_MAX
#define MAX_HELD   4
#define VALUE_BITS 32

struct event {
	enum event_kind kind;
	uint32_t thread, obj; /* variable, lock, or the other thread */
	term_t term;          /* READ: its symbol; WRITE: the value; GUARD, ASSERT: the condition */
	uint32_t prev;        /* in the thread */
	uint32_t match;       /* of ACQUIRE and RELEASE: the other one */
	uint32_t n_held, held[MAX_HELD]; /* acquisitions of the regions it is in */
};

struct shape {
	struct terms *ts;
	VEC(struct event) ev; /* in observed order */
	uint32_t n_threads, n_vars, n_locks;
	VEC(uint32_t) init; /* by variable */
	struct vec_u32
		clock; /* by event and thread: events of it that are before, itself included */
};

/* n threads, m transfers each between `accounts` accounts, then a check of the sum.
 * locks: one lock around each update; else none */
void shape_bank(struct shape *s, uint32_t n, uint32_t m, uint32_t accounts, bool locks);
/* n threads put 4 words each into a table of 128 slots, each slot with a lock; every find is
 * asserted */
void shape_indexer(struct shape *s, uint32_t n);
/* n threads, m increments each of one of `vars` counters, each counter with a lock; every 4th
 * increment reads and writes in two regions */
void shape_counters(struct shape *s, uint32_t n, uint32_t m, uint32_t vars);
/* events lo .. hi of a shape, without forks and joins, where no lock is held at either end */
void shape_window(struct shape *to, const struct shape *from, uint32_t lo, uint32_t hi);
void shape_release(struct shape *s);

/* a always before b */
bool shape_ordered(const struct shape *s, uint32_t a, uint32_t b);
/* regions of one lock, of different threads, that a and b are in */
bool shape_regions(const struct shape *s, uint32_t a, uint32_t b, uint32_t *ra, uint32_t *rb);

#endif
