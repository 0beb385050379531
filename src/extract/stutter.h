/*
 * Removes rounds of loops that only wait (facts/spin.h) from a trace program: such a round changes
 * nothing that the thread or another one can observe. The last round, which left the loop or was
 * cut off, stays. If the loop has several exits, the first round stays too, so that the model has
 * the reads and guards of a round that continues.
 *
 * Points and instructions are counted without the removed rounds, as the program counts them when
 * the loop ends in its first round. The events of other threads stay.
 */
#ifndef HEDDLE_EXTRACT_STUTTER_H
#define HEDDLE_EXTRACT_STUTTER_H

#include "extract/ctp.h"
#include "facts/spin.h"

/* Removes rounds of loops that are proven to change nothing (spin.sure). The order of the other
 * events does not change. */
void stutter_remove(struct ctp *c, struct spins *spins);
/* The same with the loops of the trace's program, then ctp_finish(). */
void stutter_reduce(struct ctp *c);
/* Whether the other outcome of that guard or try only adds one more round to a waiting loop. */
bool stutter_is_round(const struct ctp *c, struct spins *spins, uint32_t event);

#endif
