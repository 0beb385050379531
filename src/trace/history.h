/*
 * The synchronization of a run, thread by thread, as the re-execution of its threads showed it:
 * what order.h puts into one order and check.h holds against the meaning of the primitives.
 *
 * Every record of log/sync.def is one struct sync_event; the start and the end of a thread are two
 * more kinds. Threads are filled independently of each other (trace/collect.h), each by one host
 * thread.
 *
 * Lifetime: heap, history_release(). 80 bytes an event.
 */
#ifndef HEDDLE_TRACE_HISTORY_H
#define HEDDLE_TRACE_HISTORY_H

#include "base/vec.h"
#include "machine/objects.h"
#include "log/format.h"

enum { /* kinds beyond those of log/sync.def */
	SYNC_BEGIN = LOG_NSYNC,
	SYNC_END,
	SYNC_NKINDS,
};

enum {                            /* sync_event.flags, beside LOG_F_* */
	SYNC_CONSISTENT = 1 << 14, /* MUTEX_INIT: it was pthread_mutex_consistent() */
	SYNC_SHARED = 1 << 15,     /* the object may be used by other processes too */
};

struct sync_event {
	uint64_t index;  /* instructions of the thread before it */
	uint64_t object; /* address; of ALLOC and SEM_OPEN the result; 0 = none */
	uint64_t value;  /* COND_WAIT, COND_WOKEN: the mutex; ALLOC: size of the block, 0 = not
			    known;  CREATE: address of the function that the thread starts with */
	uint64_t tsc;    /* that of the event before if its own was not read: see sync_is_stamped() */
	int32_t result;
	uint32_t seq, seq2, extra;
	uint32_t func, insn;
	stack_id stack; /* in sync_thread.stacks */
	uint16_t flags;
	uint8_t kind;
};

enum sync_fate {       /* what is known of the end of a thread's history */
	SYNC_COMPLETE, /* to its end */
	SYNC_CUT,      /* to the moment the process ended: one operation may have been under way */
	SYNC_DARK,     /* it went on, and nothing is known of it */
};

struct sync_thread {
	VEC(struct sync_event) events;
	struct stacks stacks;
	uint64_t stack_lo, stack_hi;
	uint32_t parent;
	uint8_t kind; /* enum log_thread_kind */
	uint8_t fate; /* enum sync_fate */
	bool late;    /* its beginning is missing */
};

struct history {
	VEC(struct sync_thread) threads;
	bool foreign; /* code that is not recorded may use the same objects */
};

void history_init(struct history *h, uint32_t nthreads);
void history_release(struct history *h);
/* "lock", "begin", … */
const char *sync_kind_name(uint8_t kind);
/* Whether the operation did what it is called: locked, created, …; a wait that ran out of time did
 * take its mutex again, and is true. */
bool sync_succeeded(const struct sync_event *e);
/* Its time was read when it happened; else it is no earlier than it says. */
bool sync_is_stamped(const struct sync_thread *t, uint32_t event);
/* The operation has two points in time; see order.h. */
bool sync_is_double(const struct sync_event *e);

#endif
