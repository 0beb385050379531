/*
 * Partial order reduction: of two independent steps only one order is explored.
 *
 * A step of a thread is its execution from one switch point to the next. Its first operation is
 * known when the thread is at the switch point: an operation on a synchronization object, or an
 * access. Two steps count as independent if their first operations are on different objects, access
 * disjoint bytes, or only read. The rest of a step is code that is local to the thread and, in a
 * program without data races, accesses that such operations order. With --switch access every
 * shared access begins a step, so that the reduction does not assume the absence of races.
 *
 * Sleep sets (Godefroid 1996): when the choices t1, t2, ... at a point are states, the state after
 * t2 need not run t1 as long as only steps independent of t1's are executed. All reachable states
 * stay reachable, on fewer paths. In addition, a step that accesses nothing shared is executed at
 * once, and a step that would only begin to wait is executed after the others.
 */
#ifndef HEDDLE_EXPLORE_REDUCE_H
#define HEDDLE_EXPLORE_REDUCE_H

#include "base/vec.h"
#include "machine/machine.h"

enum pending_kind {
	PENDING_ANY,    /* may depend on everything */
	PENDING_OWN,    /* nothing shared: the begin or end of a thread, or the join of another */
	PENDING_OBJECT, /* an operation on the object at `addr` */
	PENDING_ACCESS, /* a read or write of n bytes at `addr` */
	PENDING_BLOCK,  /* a block operation: writes n bytes at `addr`, may read n at `from` */
};

struct pending { /* the first operation of a thread's next step */
	uint32_t thread;
	uint8_t kind;
	bool write, atomic;
	bool blocks; /* it would only wait: for a mutex that is held, a thread that runs */
	uint32_t n;
	uint64_t addr, from; /* from: BLOCK; 0 = none */
	uint32_t func, insn; /* ACCESS, BLOCK: the instruction */
};

/* A thread in a loop that only reads one address: it waits until the value there changes. */
struct spin {
	uint32_t thread, n;
	uint64_t addr, value;
};

struct sleep {
	VEC(struct pending) at;
	VEC(struct spin) spins;
};

/* Whether the thread, which is not the main thread, is before its first instruction. */
bool thread_begins(struct thread *t);
/* The next step of a ready thread. */
struct pending pending_of(struct machine *m, struct thread *t);
/* Whether accesses of different threads are a data race. Of a block operation *a or *b keeps the part
 * that races. */
bool pending_races(struct pending *a, struct pending *b);

void sleep_copy(struct sleep *to, const struct sleep *from);
void sleep_clear(struct sleep *s);
void sleep_release(struct sleep *s);
bool sleep_has(const struct sleep *s, uint32_t thread);
/* Adds the thread to the spins, if its next step is an access of at most 8 bytes. */
void spin_note(struct sleep *s, struct machine *m, struct thread *t);
/* Whether the value that the thread waits for is unchanged; removes the spin if it has changed. */
bool spin_waits(struct sleep *s, struct machine *m, uint32_t thread);
/* A step was executed: removes its thread and dependent steps from the sleep set. */
void sleep_step(struct sleep *s, const struct pending *made);

#endif
