/*
 * The checker of primitives: replays the observed order (order.h) against what each primitive
 * promises. Locks exclude, waits follow signals, barriers match, a semaphore is not taken more
 * often than given, once is once, joins follow ends.
 *
 * A *violation* says that the trace is wrong, for the machine cannot have done this; it must never
 * be raised on a right trace. So the checker knows how the numbers come about: an acquisition is
 * numbered after it succeeded and a release before it begins, hence an object is held, by the
 * numbers, only while it really is; and failed attempts prove nothing, for the holder may be on its
 * way in or out.
 *
 * A *misuse* is what the program did and the library let pass: unlocking what it does not hold,
 * destroying what is in use. What the object does afterwards is undefined, and not checked until it
 * is made anew.
 *
 * What cannot be judged is counted, not guessed: operations while a thread was not recorded, and
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
	CHECK_UNEXPLAINED, /* would be a violation, but code outside the trace may have done it */
	CHECK_NFINDING_KINDS
};

struct check_finding {
	enum check_finding_kind kind;
	struct order_point at;
	const char *what; /* "locked while thread 2 holds it", in the checker's arena */
};
enum { CHECK_MAX_FINDINGS = 100 }; /* kept of each kind; all are counted */

struct check {
	const struct sync_order *o;
	uint64_t checked[CHECK_NPRIMITIVES]; /* operations held against the promise */
	uint64_t unsure[CHECK_NPRIMITIVES];  /* operations on objects whose state was not known */
	uint64_t count[CHECK_NFINDING_KINDS];
	uint64_t spurious, timeouts; /* waits that no signal explains; that ran out of time */
	VEC(struct check_finding) findings;
	struct arena arena;
};

/* Faults of the order are violations too. */
void check_run(struct check *c, const struct sync_order *o);
void check_release(struct check *c);
/* The primitive that an operation belongs to; -1 for memory and the process. */
int check_primitive_of(uint8_t kind);

#endif
