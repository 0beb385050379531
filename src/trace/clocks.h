/*
 * Vector clocks over the observed order: how many events of every other thread are known to have
 * begun before an event was over. Known are the order of each thread, the sequence numbers of each
 * object (a number is drawn by an atomic operation between what the thread did before and what it
 * does after), creation and join, and time stamps that were read.
 *
 * Quadratic in memory: threads times events. For tests and small runs.
 */
#ifndef HEDDLE_TRACE_CLOCKS_H
#define HEDDLE_TRACE_CLOCKS_H

#include "trace/order.h"

struct clocks {
	const struct sync_order *o;
	uint32_t *at; /* by event, then thread: events of it that had begun when it was over */
	uint32_t n;   /* threads */
};

/* False if it would take more than `limit` bytes. */
bool clocks_build(struct clocks *c, const struct sync_order *o, uint64_t limit);
void clocks_release(struct clocks *c);
/* What thread t did before event a is known to lie before what thread u did after event b.
 * (Operations take time: it may be so the other way round, too.) */
bool clocks_before(const struct clocks *c, uint32_t t, uint32_t a, uint32_t u, uint32_t b);

#endif
