/*
 * Removes rounds of loops that only wait (facts/spin.h) from a trace program: such a round changes
 * nothing that the thread or another one can observe. The last round, which left the loop or was
 * cut off, stays. If rounds can leave the loop on several ways, or take locks, the first round stays
 * too, so that the model has the reads, guards and locks of a round that continues.
 *
 * Points and instructions are counted without the removed rounds, as the program counts them when
 * the loop ends in its first round. The events of other threads stay.
 */
#ifndef HEDDLE_CTP_STUTTER_H
#define HEDDLE_CTP_STUTTER_H

#include "ctp/ctp.h"
#include "facts/spin.h"

/*
 * An *anchor* is an event that each round has: a branch of the loop, or a try.
 */
enum anchor {
	ANCHOR_NONE,
	ANCHOR_STAYS,  /* the round continues after it */
	ANCHOR_LEAVES, /* it ends the loop */
	ANCHOR_INSIDE, /* a branch that does not leave the loop */
};
/* *s: the loop, which is proven to only wait (spin.sure), if the event is an anchor. */
enum anchor stutter_anchor(
	const struct ctp *c, struct spins *spins, uint32_t event, struct spin *s);
/* The next anchor at the same instruction, in the same visit of the loop; CTP_NONE. */
uint32_t stutter_next(
	const struct ctp *c, struct spins *spins, uint32_t event, const struct spin *s);
/* Rounds of the loop can differ: the first round that continues stays in the program, and its
 * branches are queried. */
bool stutter_keeps_first(
	const struct ctp *c, struct spins *spins, uint32_t func, const struct spin *s);

/* Removes rounds of loops that are proven to change nothing (spin.sure) from a program that is not
 * finished. The order of the other events does not change. spins: of the trace's program; NULL:
 * found for this call. */
void stutter_remove(struct ctp *c, struct spins *spins);
/* Whether the other outcome of that guard or try only adds one more round to a waiting loop. */
bool stutter_is_round(const struct ctp *c, struct spins *spins, uint32_t event);

#endif
