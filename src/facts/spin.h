/*
 * Loops that only wait: what they do in a round changes nothing that anybody sees, and they go on
 * when another thread has done something. `while (!flag) sched_yield();`, `while (xchg(&lock,
 * 1))`, `while (pthread_mutex_trylock(&m))`, the second half of a hand-made barrier.
 *
 * In a loop that waits, the blocks hold loads, arithmetic, calls that only pass time (sched_yield,
 * usleep, nanosleep, thrd_yield, inline pause), atomic updates that write what was there while the
 * loop goes on (a compare-and-swap that fails, an exchange that puts back what it got), tries that
 * fail; no store, and nothing that one round hands to the next. Loops in the program's own
 * functions that are called in it count if they do no more than that.
 *
 * Whether that is so is found by executing one round symbolically, along each of its ways
 * (spin_round.c): what it read is open, and on each way back to the loop's head an update must
 * have written what it found, a try must have failed, and what the head can see must be as it was.
 *
 * A round that did not end the loop could be left out of a run, or done again at the same moment,
 * and nobody would know: *stuttering*.
 */
#ifndef HEDDLE_FACTS_SPIN_H
#define HEDDLE_FACTS_SPIN_H

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
	uint32_t exits;  /* blocks of the loop with a way out */
	bool leaves;     /* the branch has a way out of the loop; else both its ways stay in it, and it
			    decides in the middle of a round */
	bool stays_if;   /* leaves: it stays in the loop when its condition is true */
	bool sure;       /* READ, UPDATE, TRY: it was proven that a round that goes on changes nothing,
			    whatever others write: such rounds are stuttering. Else it looks like a
			    loop that waits: an exchange that puts 1 where it may have found 2, a flag
			    that is looked at under a mutex */
};

struct spins;
struct spins *spins_new(const struct ir_program *p);
void spins_free(struct spins *s);
/* The instruction, a conditional branch, switch or try, lies in such a loop: the innermost that is one.
 * What is found is kept. */
struct spin spin_of(struct spins *s, uint32_t func, uint32_t insn);
/* Behind one way of the branch lies a loop that reads until others let it go on; behind the other, which
 * does not lead there, something is written: the last one to come to a barrier made by hand. */
bool spin_decides(struct spins *s, uint32_t func, uint32_t insn, struct spin *out);
/* The instruction lies in the loop of that header. */
bool spin_inside(struct spins *s, uint32_t func, uint32_t header, uint32_t insn);

#endif
