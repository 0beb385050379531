/*
 * The observed order of synchronization: one total order of all operations that agrees with
 *  - the order of each thread
 *  - the sequence numbers of each object (log/sync.def)
 *  - create before the begin of the thread, its end before the join; the routine of a once before
 *    every other return from it
 * and, where these leave a choice, with the time stamps. Not every event has one of its own: the
 * others are taken to lie evenly between those that have. No event is given a time before that of
 * one that comes before it, so the times of the order rise.
 *
 * Sequence numbers come from counters that several objects share, so they are compared between
 * operations on one object only. An operation with two numbers is two points: a wait or a wake-up
 * has one of the condition variable and one of the mutex, in no given order; a signal or broadcast
 * has its start and its end.
 *
 * Contradictions are faults of the trace: they are reported, and the order goes on by the clock.
 *
 * Topological sort with a heap: O(n log n). Lifetime: heap, sync_order_release(); the history must
 * outlive it and not change.
 */
#ifndef HEDDLE_TRACE_ORDER_H
#define HEDDLE_TRACE_ORDER_H

#include "base/vec.h"
#include "trace/history.h"

struct order_point {
	uint32_t thread, event;
	uint8_t part; /* 1: the mutex of a wait or wake-up; the end of a signal or broadcast */
};

enum order_fault_kind {
	ORDER_CYCLE,    /* the operation would come before itself */
	ORDER_SAME_SEQ, /* it has the number of another operation on the object */
};
struct order_fault {
	enum order_fault_kind kind;
	struct order_point at, other; /* other: of ORDER_SAME_SEQ */
};
enum { ORDER_MAX_FAULTS = 100 }; /* kept; all are counted */

struct sync_order {
	const struct history *h;
	struct order_point *at; /* n points */
	uint32_t n;
	uint32_t *base; /* by thread: number of its first event among all; one more at the end */
	uint32_t *rank; /* by event: place of its first point, then of its last */
	uint64_t *time;        /* by event: TSC, as far as it is known */
	VEC(struct order_fault) faults;
	uint64_t nfaults;
};

void sync_order_build(struct sync_order *o, const struct history *h);
void sync_order_release(struct sync_order *o);

/* Place of an event in the order: its first and its last point. */
static inline uint32_t sync_order_first(const struct sync_order *o, uint32_t thread, uint32_t event)
{
	return o->rank[2 * (o->base[thread] + event)];
}
static inline uint64_t sync_order_time(const struct sync_order *o, uint32_t thread, uint32_t event)
{
	return o->time[o->base[thread] + event];
}
static inline uint32_t sync_order_last(const struct sync_order *o, uint32_t thread, uint32_t event)
{
	return o->rank[2 * (o->base[thread] + event) + 1];
}

#endif
