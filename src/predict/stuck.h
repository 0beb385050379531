/*
 * Stuck states: every thread that could help stands before something that blocks, or has ended.
 * Private to the property of deadlocks.
 *
 * A *state* gives every thread a position: before one of its blocking events, at its end, or not
 * created. What has happened is then known but for its order, so that semaphores, barriers, joins
 * and locks are counted here, and only the order of signals and waits is left to the query.
 *
 * A state is looked for around a *centre*, a blocking event that is not a lock:
 *  - a wait on a condition variable, a semaphore or a barrier could be ended by anybody, also by
 *    code that the recorded run did not get to: so everybody else must be stuck or at its end
 *  - a join waits for one thread, a lock for its holder: these are followed from one to the next
 * One state has one centre: the first kind in this order that is in it, of these the least event.
 */
#ifndef HEDDLE_PREDICT_STUCK_H
#define HEDDLE_PREDICT_STUCK_H

#include "predict/property.h"

/* It may have to wait for others, without limit. */
bool event_may_block(const struct ctp_event *e);
/* "deadlock of mutex 'a', mutex 'b'" */
char *stuck_title(const struct ctp *c, const uint32_t *events, uint32_t n);
/* Appends candidates of DEADLOCK and LOST_WAKEUP. */
void stuck_states(struct candidates *cs, uint32_t kinds);

#endif
