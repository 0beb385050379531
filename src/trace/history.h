/*
 * The synchronization operations of a run, by thread, from the re-execution of the threads. order.h
 * makes one total order of them, check.h checks that order against the semantics of the primitives.
 *
 * Each record of log/sync.def is one struct sync_event; the begin and the end of a thread are two
 * more kinds. Threads are filled independently of each other (trace/collect.h), each by one host
 * thread.
 *
 * Lifetime: heap, history_release(). 80 bytes an event.
 */
#ifndef HEDDLE_TRACE_HISTORY_H
#define HEDDLE_TRACE_HISTORY_H

#include "base/vec.h"
#include "log/format.h"
#include "memory/objects.h"

enum { /* kinds beyond those of log/sync.def */
	SYNC_BEGIN = LOG_NSYNC,
	SYNC_END,
	SYNC_NKINDS,
};

enum {                            /* sync_event.flags, beside LOG_F_* */
	SYNC_CONSISTENT = 1 << 14, /* MUTEX_INIT: the call was pthread_mutex_consistent() */
	SYNC_SHARED = 1 << 15,     /* other processes may use the object, too */
};

struct sync_event {
	uint64_t index;  /* number of instructions that the thread executed before it */
	uint64_t object; /* address of the object; ALLOC, SEM_OPEN: the result; 0 = none */
	uint64_t value;  /* COND_WAIT, COND_WOKEN: address of the mutex; ALLOC: size of the block
			    in bytes, 0 = unknown; CREATE: address of the start routine */
	uint64_t tsc;    /* time stamp; without one, that of the event before (sync_is_stamped()) */
	int32_t result;
	uint32_t seq, seq2, extra;
	uint32_t func, insn;
	stack_id stack; /* in sync_thread.stacks */
	uint16_t flags;
	uint8_t kind;
};

enum sync_fate {       /* where a thread's history ends */
	SYNC_COMPLETE, /* at the end of the thread */
	SYNC_CUT,      /* at the end of the process: at most one operation has no record */
	SYNC_DARK,     /* before the end: the thread continued without records */
};

struct sync_thread {
	VEC(struct sync_event) events;
	struct stacks stacks;
	uint64_t stack_lo, stack_hi;
	uint32_t parent;
	uint8_t kind; /* enum log_thread_kind */
	uint8_t fate; /* enum sync_fate */
};

struct history {
	VEC(struct sync_thread) threads;
	bool foreign; /* code outside the trace may use the same objects */
};

void history_init(struct history *h, uint32_t nthreads);
void history_release(struct history *h);
/* "lock", "begin", … */
const char *sync_kind_name(uint8_t kind);
/* Whether the operation had its effect (locked, created, …). True for a wait that timed out,
 * because it acquired its mutex again. */
bool sync_succeeded(const struct sync_event *e);
/* Whether the operation acquires a lock, if it succeeds. */
bool sync_is_lock(uint8_t kind);
/* Whether the event has a time stamp of its own. If not, it is no earlier than its tsc. */
bool sync_is_stamped(const struct sync_thread *t, uint32_t event);
/* Whether the operation is two points of the observed order; see order.h. */
bool sync_is_double(const struct sync_event *e);

#endif
