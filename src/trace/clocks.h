/*
 * Vector clocks over the observed order: for each event, the number of events of each thread that
 * are known to have begun before the event was over. The sources are program order, the sequence
 * numbers of each object (assigned by an atomic operation between the thread's earlier and later
 * accesses), creation and join, and time stamps.
 *
 * Memory: 4 bytes times threads times events. For tests and small runs.
 */
#ifndef HEDDLE_TRACE_CLOCKS_H
#define HEDDLE_TRACE_CLOCKS_H

#include "trace/order.h"

struct clocks {
	const struct sync_order *o;
	uint32_t *at; /* by event, then thread: events of that thread that began before its end */
	uint32_t n;   /* threads */
};

/* False if the order has faults, or if the clocks would need more than `limit` bytes. */
bool clocks_build(struct clocks *c, const struct sync_order *o, uint64_t limit);
void clocks_release(struct clocks *c);
/* Whether everything that thread t did before event a is known to precede everything that thread u
 * did after event b. Operations have a duration, so this can hold in both directions. */
bool clocks_before(const struct clocks *c, uint32_t t, uint32_t a, uint32_t u, uint32_t b);

#endif
