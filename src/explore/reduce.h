/*
 * Fewer orders: of two steps that do not depend on each other only one order is explored.
 *
 * A step of a thread goes from one switch point to the next. What it begins with is known while the
 * thread stands there: an operation on a synchronization object, or an access. Two steps are taken to
 * be independent if both begin with operations on different objects (or accesses to different places,
 * or reads): in between there is only code of the thread's own and, in a program without data races,
 * accesses that such operations order. With --switch access every shared access begins a step, so
 * that nothing rests on the absence of races.
 *
 * Sleep sets (Godefroid 1996): when the choices t1, t2, ... at a point have been kept, the states
 * after t2 need not run t1 first as long as only steps independent of t1's were made. No state that
 * can be reached is lost, only ways to it. Beyond that, a step that touches nothing shared is made at
 * once, and one that would only begin to wait is not made before the others.
 */
#ifndef HEDDLE_EXPLORE_REDUCE_H
#define HEDDLE_EXPLORE_REDUCE_H

#include "base/vec.h"
#include "machine/machine.h"

enum pending_kind {
	PENDING_ANY,    /* may depend on everything */
	PENDING_OWN,    /* nothing shared: a thread about to begin, or to take note of another's end */
	PENDING_OBJECT, /* an operation on the object at `addr` */
	PENDING_ACCESS, /* a read or write of n bytes at `addr` */
};

struct pending { /* what a thread's next step begins with */
	uint32_t thread;
	uint8_t kind;
	bool write, atomic;
	bool blocks;         /* it would only wait: for a mutex that is held, a thread that runs */
	uint32_t n;
	uint64_t addr;
	uint32_t func, insn; /* ACCESS: the instruction */
};

/* A thread in a loop that reads one place and changes nothing: it goes on when that place has changed. */
struct spin {
	uint32_t thread, n;
	uint64_t addr, value;
};

struct sleep {
	VEC(struct pending) at;
	VEC(struct spin) spins;
};

/* t is ready. */
struct pending pending_of(struct machine *m, struct thread *t);
/* Two accesses, not of the same thread, that make a data race. */
bool pending_races(const struct pending *a, const struct pending *b);
bool pending_independent(const struct pending *a, const struct pending *b);

void sleep_copy(struct sleep *to, const struct sleep *from);
void sleep_clear(struct sleep *s);
void sleep_release(struct sleep *s);
bool sleep_has(const struct sleep *s, uint32_t thread);
/* The thread stands before its one access of such a loop: noted, if that is what it is. */
void spin_note(struct sleep *s, struct machine *m, struct thread *t);
/* Whether it still has to wait; forgotten when not. */
bool spin_waits(struct sleep *s, struct machine *m, uint32_t thread);
/* A step was made: those that depend on it are awake. */
void sleep_step(struct sleep *s, const struct pending *made);

#endif
