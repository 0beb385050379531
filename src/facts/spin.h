/*
 * Spin loops: loops that only wait for another thread. A round of such a loop has no effect that
 * another thread or a later round can see. Examples: `while (!flag) sched_yield();`, `while
 * (xchg(&lock, 1))`, `while (pthread_mutex_trylock(&m))`, the second half of a hand-made barrier.
 *
 * A spin loop contains loads, arithmetic, calls that only pass time (sched_yield, usleep,
 * nanosleep, thrd_yield, inline pause), atomic updates that do not change the memory in a round
 * after which the loop continues (a compare-and-swap that fails, an exchange that writes the value
 * that it read), try operations that fail, and locks that the round releases again, or that it
 * releases and takes again. It contains no store to memory that others can access, and no round
 * changes a value that the next round uses. It may call functions of the program that satisfy the
 * same conditions.
 *
 * The conditions are checked by symbolic execution of one round along all its paths (spin_round.c).
 * Each value that the round loads is a new symbol. On each path back to the loop header, every
 * update must write the value that it read, every try operation must fail, and the variables that
 * the next round reads must have their values from the start of the round.
 *
 * A round that does not end the loop can be removed from a run, or repeated at the same point of
 * the run, without a visible difference: such rounds are *stuttering*.
 */
#ifndef HEDDLE_FACTS_SPIN_H
#define HEDDLE_FACTS_SPIN_H

#include "ir/ir.h"

enum spin_kind {
	SPIN_NONE,
	SPIN_READ,   /* only reads: waits for a flag or a count */
	SPIN_UPDATE, /* tries to update memory: a hand-made lock */
	SPIN_TRY,    /* tries to acquire a lock or semaphore of the library */
	SPIN_COND,   /* not a spin loop: a loop around a wait for a condition variable. Its rounds
			are not stuttering, except with spin.timed those whose wait timed out */
};

struct spin {
	enum spin_kind kind;
	uint32_t header; /* header block of the loop */
	uint32_t exits;  /* number of blocks of the loop with an edge out of it */
	bool leaves;     /* the branch has an edge out of the loop; else all its targets are in the
			    loop */
	bool stays_if;   /* if `leaves`, for a conditional branch: it stays in the loop if its
			    condition is true */
	bool sure;       /* READ, UPDATE, TRY: it is proven, for all writes of other threads, that
			    the rounds that do not end the loop are stuttering. If false, the loop
			    only looks like a spin loop: an exchange that writes 1 where the value
			    may have been 2, or a round that takes locks in a program that also
			    tries or times locks: a round that is removed cannot make a try fail */
	bool locks;      /* a round takes locks */
	bool timed;      /* COND: all its waits have a time limit */
};

struct spins;
struct spins *spins_new(const struct ir_program *p);
void spins_free(struct spins *s);
/* The innermost loop around the instruction (a conditional branch, switch or try operation) that is
 * a spin loop or SPIN_COND; kind is SPIN_NONE if there is none. Results are cached. */
struct spin spin_of(struct spins *s, uint32_t func, uint32_t insn);
/* Does the branch decide whether the thread waits? One target dominates a SPIN_READ loop, which is
 * put into out; the other does not, and dominates a write to memory that others can access.
 * Example: the last thread that arrives at a hand-made barrier writes, the others wait. */
bool spin_decides(struct spins *s, uint32_t func, uint32_t insn, struct spin *out);
/* Is the instruction in the loop with that header? */
bool spin_inside(struct spins *s, uint32_t func, uint32_t header, uint32_t insn);

#endif
