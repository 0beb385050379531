/*
 * Loops that only wait: what they do in a round changes nothing that anybody sees, and they go on when
 * another thread has done something. `while (!flag) sched_yield();`, `while (xchg(&lock, 1))`, `while
 * (pthread_mutex_trylock(&m))`, the second half of a hand-made barrier.
 *
 * In a loop that waits, the blocks hold loads, arithmetic, calls that only pass time (sched_yield,
 * usleep, nanosleep, thrd_yield, inline pause), atomic updates that write what was there while the loop
 * goes on (a compare-and-swap that fails, an exchange that puts back what it got), tries that fail; no
 * store, and nothing that one round hands to the next. Loops in the program's own functions that are
 * called in it count if they do no more than that.
 *
 * A round that did not end the loop could be left out of a run, or done again at the same moment, and
 * nobody would know: *stuttering*.
 */
#ifndef HEDDLE_PREDICT_SPIN_H
#define HEDDLE_PREDICT_SPIN_H

#include "ir/ir.h"

enum spin_kind {
	SPIN_NONE,
	SPIN_READ,   /* reads only: waits for a flag, a count */
	SPIN_UPDATE, /* tries to change something: a lock made by hand */
	SPIN_TRY,    /* tries to take a lock or semaphore of the library */
	SPIN_COND,   /* no spin: the loop around a wait for a condition variable. Rounds are no
			stuttering there */
};

struct spin {
	enum spin_kind kind;
	uint32_t header; /* block of the loop */
	bool stays_if;   /* the branch stays in the loop when its condition is true */
};

struct spins;
struct spins *spins_new(const struct ir_program *p);
void spins_free(struct spins *s);
/* The conditional branch or switch `insn` decides whether such a loop goes on. What is found is kept. */
struct spin spin_of(struct spins *s, uint32_t func, uint32_t insn);

#endif
