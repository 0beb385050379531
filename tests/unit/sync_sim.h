/*
 * A simulator of threads that synchronize: histories as a right recorder would write them. The
 * effect of an operation, its sequence number and its time stamp are taken at different moments,
 * in the order that log/sync.def promises, and other threads go on between them. Several objects
 * share a counter.
 */
#ifndef HEDDLE_TESTS_SYNC_SIM_H
#define HEDDLE_TESTS_SYNC_SIM_H

#include "trace/history.h"

struct sim {
	struct history h;
};

/* About n events, by six threads; `index` of each is the time when it began. The same seed gives the same history. */
void sim_run(struct sim *s, uint64_t seed, uint32_t n);
void sim_release(struct sim *s);
/* One event of a thread, as it is. */
void sim_add(struct history *h, uint32_t thread, struct sync_event e);

#endif
