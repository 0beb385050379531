/*
 * Rounds of loops that only wait (spin.h) are taken out of a run: nobody would know if they had
 * not been. What stays is the round that ended the loop, or was cut off; and the first of those
 * that did not, if the loop has several ways out: what the round looks at is to be known then.
 *
 * Points and instructions are counted as if the rounds had not been: that is how the program
 * counts when it finds at once what it waits for. What others did meanwhile is in the run as it
 * was.
 */
#ifndef HEDDLE_EXTRACT_STUTTER_H
#define HEDDLE_EXTRACT_STUTTER_H

#include "extract/ctp.h"
#include "facts/spin.h"

/* Of loops that are proven to change nothing (spin.sure). The order of the others stays what it was. */
void stutter_remove(struct ctp *c, struct spins *spins);
/* The same, with what its own program says of loops. */
void stutter_reduce(struct ctp *c);
/* What else the thread might do at that guard or try is one more round, and nothing new. */
bool stutter_is_round(const struct ctp *c, struct spins *spins, uint32_t event);

#endif
