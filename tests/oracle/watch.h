/*
 * What is wrong with a state of the world (world.h): two accesses at once, an access or a free of
 * memory that is gone, threads that wait for each other. What is seen is told to world.saw, by
 * source lines.
 *
 *  - race: two threads stand before accesses to common bytes, one of them writes, not both atomic
 *  - use-after-free, double-free: a thread stands before an access to a freed block, or its free
 *  - deadlock: threads that wait in a cycle for each other's locks or ends
 *  - stuck: threads that cannot go on, each of which waits for something that only those among them
 *    could do, one of them for a signal, a semaphore or a barrier: it is named by the line of that
 *    wait (of several: a signal before a semaphore before a barrier, then the lowest thread)
 */
#ifndef ORACLE_WATCH_H
#define ORACLE_WATCH_H

#include "world.h"

struct stuck { /* threads that were tried in this state and have to wait */
	uint32_t n;
	uint32_t thread[16];
};
static inline void stuck_add(struct stuck *s, uint32_t thread)
{
	BUG_ON(s->n == ARRAY_SIZE(s->thread));
	if (!s->n || s->thread[s->n - 1] != thread)
		s->thread[s->n++] = thread;
}

void watch_state(struct world *w);
/* The move failed: the reason stands in world.res. */
void watch_fault(struct world *w, uint32_t thread);
/* After every move of the state was tried. */
void watch_stuck(struct world *w, const struct stuck *s);

#endif
