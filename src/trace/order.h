/*
 * The observed order of synchronization: one total order of all operations that agrees with
 *  - program order
 *  - the sequence numbers of each object (log/sync.def)
 *  - create before the begin of the thread, its end before the join; the routine of a once before
 *    every other return from it
 * and, where these leave a choice, with the time stamps. Some events have no time stamp of their
 * own; they are placed evenly between those that have one. An event gets no time before that of its
 * predecessors, so times do not decrease along the order.
 *
 * Sequence numbers come from counters that several objects share, so only the numbers of operations
 * on one object are compared. An operation with two numbers is two points: a wait or a wake-up has
 * a point of the condition variable and one of the mutex, in either order; a signal or broadcast
 * has its start and its end.
 *
 * Contradictions are faults of the trace: they are reported, and the time stamps decide.
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
	ORDER_CYCLE,    /* the operation would precede itself */
	ORDER_SAME_SEQ, /* two operations on one object have the same sequence number */
};
struct order_fault {
	enum order_fault_kind kind;
	struct order_point at, other; /* other: of ORDER_SAME_SEQ, else equal to `at` */
};
enum { ORDER_MAX_FAULTS = 100 }; /* kept; nfaults counts all */

struct sync_order {
	const struct history *h;
	struct order_point *at; /* by rank: n points */
	uint32_t n;
	uint32_t *base; /* by thread: number of its first event among all; one more at the end */
	uint32_t *rank; /* by event: rank of its first point, then of its last */
	uint64_t *time;        /* by event: TSC, an estimate where it has no stamp of its own */
	VEC(struct order_fault) faults;
	uint64_t nfaults;
};

void sync_order_build(struct sync_order *o, const struct history *h);
void sync_order_release(struct sync_order *o);

/* Rank of the first and the last point of an event, and its time. */
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
