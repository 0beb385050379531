/*
 * The checker of synchronization primitives: executes the observed order (order.h) on a model of
 * each primitive. A lock is held by one thread at a time, all threads of a round enter a barrier
 * before one leaves, a semaphore is not decremented below 0, the routine of a once runs once, a
 * join follows the end of its thread. Wake-ups without a signal are counted.
 *
 * A *violation* means that the trace is wrong, because no execution can have done this; a correct
 * trace has none. The checker relies on how sequence numbers are assigned: to an acquisition after
 * it succeeded, to a release before it begins. So an object that is held by the numbers was held in
 * the run. A failed attempt proves nothing, because the holder may be acquiring or releasing at
 * that time.
 *
 * A *misuse* is an error of the program that the library did not report: it unlocked a lock that it
 * does not hold, or destroyed an object in use. Afterwards the state of the object is undefined,
 * and it is not checked until it is initialized again.
 *
 * Operations that cannot be checked are counted: those while a thread was not recorded, and
 * contradictions that code outside the trace may explain (history.foreign).
 */
#ifndef HEDDLE_TRACE_CHECK_H
#define HEDDLE_TRACE_CHECK_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/order.h"

#define CHECK_PRIMITIVES(X)                                                                        \
	X(THREAD, "thread")                                                                        \
	X(MUTEX, "mutex")                                                                          \
	X(RWLOCK, "rwlock")                                                                        \
	X(SPIN, "spinlock")                                                                        \
	X(COND, "condition variable")                                                              \
	X(SEM, "semaphore")                                                                        \
	X(BARRIER, "barrier")                                                                      \
	X(ONCE, "once")

enum check_primitive {
#define X(id, text) CHECK_##id,
	CHECK_PRIMITIVES(X)
#undef X
		CHECK_NPRIMITIVES
};
extern const char *const check_primitive_names[CHECK_NPRIMITIVES];

enum check_finding_kind {
	CHECK_VIOLATION,
	CHECK_MISUSE,
	CHECK_UNEXPLAINED, /* violation or misuse that code outside the trace may explain */
	CHECK_NFINDING_KINDS
};

struct check_finding {
	enum check_finding_kind kind;
	struct order_point at;
	const char *what; /* "locked while thread 2 holds it", in the checker's arena */
};
enum { CHECK_MAX_FINDINGS = 100 }; /* kept of each kind; `count` has all */

struct check {
	const struct sync_order *o;
	uint64_t checked[CHECK_NPRIMITIVES]; /* operations on objects of known state */
	uint64_t unsure[CHECK_NPRIMITIVES];  /* operations on objects of unknown state */
	uint64_t count[CHECK_NFINDING_KINDS];
	uint64_t spurious, timeouts; /* waits that ended without a signal; that timed out */
	VEC(struct check_finding) findings;
	struct arena arena;
};

/* Checks the whole order. Faults of the order (order.h) are violations too. */
void check_run(struct check *c, const struct sync_order *o);
void check_release(struct check *c);
/* The primitive of a kind of event; -1 for memory and process operations. */
int check_primitive_of(uint8_t kind);

#endif
