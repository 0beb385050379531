/*
 * Stuck states: each thread that could end a wait of the state is itself blocked, or has ended.
 * Private to the property of deadlocks.
 *
 * A *state* gives every thread a position: before one of its blocking events, in a loop that waits
 * (ctp/waiting.h), at its end, or not created. The positions determine the set of executed events,
 * so that semaphores, barriers, joins and locks are decided here; only the order of signals and waits
 * and the values that loops read are left to the query.
 *
 * The search for states starts at a *centre*, a loop or a blocking event that is not a lock:
 *  - any thread could end a wait in a loop, on a condition variable, a semaphore or a barrier, also
 *    in code that the recorded run did not reach: all other threads must be blocked or at their ends
 *  - a join waits for one thread, a lock for its holder: the search follows these from one to the
 *    next
 * A state has one centre: its event of the first kind in this list, of several the least.
 */
#ifndef HEDDLE_PREDICT_STUCK_H
#define HEDDLE_PREDICT_STUCK_H

#include "predict/property.h"

/* The event may wait for other threads, without a time limit. */
bool event_may_block(const struct ctp_event *e);
/* Appends candidates of DEADLOCK, LOST_WAKEUP and HANG. */
void stuck_states(struct candidates *cs, uint32_t kinds);

#endif
