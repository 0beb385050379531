/*
 * State of the checker (check.c) at one point of the observed order: each object, each thread, and
 * which of them are unknown.
 *
 *  - a thread is *dark* before its first record if its beginning is missing, and after its last
 *    record if it continued unrecorded. A dark thread may use any object, so the state of the
 *    objects is *unsure*
 *  - a thread that was *cut* off when the process ended lacks at most its last operation: it may
 *    have released one lock, posted once, or entered one barrier without a record
 *  - memory that is freed or allocated, and the stack of a thread that ended, may hold new objects
 */
#ifndef HEDDLE_TRACE_CHECK_OBJECTS_H
#define HEDDLE_TRACE_CHECK_OBJECTS_H

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/check.h"

enum { NO_THREAD = UINT32_MAX, NO_OBJECT = UINT32_MAX, NEVER = UINT32_MAX };
enum { MUTEX_NORMAL, MUTEX_RECURSIVE, MUTEX_ERRORCHECK, MUTEX_ADAPTIVE, MUTEX_UNKNOWN };

struct object {
	uint64_t addr;
	uint32_t next; /* next object in the same page; NO_OBJECT at the end */
	uint32_t last; /* rank of its last operation; NEVER */
	uint32_t life; /* incremented by each object_reset() */
	uint8_t what;  /* enum check_primitive */
	bool unsure;   /* its state is unknown */
	/* mutexes, spin locks, reader-writer locks */
	uint8_t type; /* MUTEX_* */
	bool robust;
	uint32_t owner; /* thread that holds it (rwlock: for writing); NO_THREAD */
	uint32_t depth;
	uint32_t acquirer; /* thread that locked it last; NO_THREAD: none since it became unsure */
	struct vec_u32 readers;
	/* condition variables: signals begun and not ended; rank of the last end, NEVER */
	uint32_t signals_open, signal_end;
	/* semaphores and barriers. counted: value (semaphore) or count (barrier) is known; serial:
	 * leaves with PTHREAD_BARRIER_SERIAL_THREAD */
	bool counted;
	int64_t value;
	uint32_t count;
	uint64_t enters, leaves, serial;
	/* once: returns from it, and those that ran the routine */
	uint32_t runs, returns;
	struct order_point first_return;
};

struct check_thread {
	bool created, ended, joined;
	bool exhausted;       /* the order is past its last event, and its history is incomplete */
	uint64_t waits_mutex; /* mutex of the wait that it is in, or that was cancelled; 0 = none */
	bool held_mutex;      /* it held waits_mutex at the start of the wait */
	uint32_t wait_rank;   /* rank of its last wait; NEVER */
	uint64_t barrier;     /* barrier that it entered and has not left: its address; 0 = none */
	uint32_t barrier_life;
};

struct checker {
	struct check *out;
	const struct sync_order *o;
	const struct history *h;
	struct order_point now;
	uint32_t self; /* owner of the locks of this event; of a signal handler: its thread */
	uint32_t rank; /* of `now` */
	struct check_thread *threads;
	VEC(struct object) objects;
	struct map by_addr, by_page, blocks; /* address -> object + 1; page -> first object + 1;
						block -> size */
	uint32_t ndark, ncut;                /* threads dark now; threads cut off before now */
	uint32_t last_dark;                  /* last rank at which a thread was dark; NEVER */
};

void checker_init(struct checker *c);
void checker_release(struct checker *c);

/* The object at the address. Makes it if there is none; an object of another kind becomes `what`,
 * and unsure. NULL for address 0. Valid until the next call. */
struct object *object_at(struct checker *c, uint64_t addr, enum check_primitive what);
/* Sets the state of an object just initialized. */
void object_reset(struct object *o);
/* Resets the object and marks it unsure. */
void object_unsure(struct object *o);
/* Marks all objects in [lo, hi) unsure. */
void objects_forget(struct checker *c, uint64_t lo, uint64_t hi);
/* Forgets the objects in a block that the event allocates or frees. */
void heap_step(struct checker *c, const struct sync_event *e);

/* To call before and after each point of the order: update self, ndark, ncut and last_dark. */
void threads_before(struct checker *c);
void threads_after(struct checker *c);
/* The order is past the thread's last event, and its last operation may have no record. */
bool may_lack_last(const struct checker *c, uint32_t thread);
/* The owner may have released it without a record: it was cut off, or it ended while it held a
 * robust mutex. */
bool lock_may_be_free(const struct checker *c, const struct object *o, const struct sync_event *e);
/* Each reader may have released it without a record. */
bool readers_may_be_gone(const struct checker *c, const struct object *o);
/* False if the thread is not a reader. */
bool readers_remove(struct object *o, uint32_t thread);
/* The thread of `now` was in a wait with the mutex that was cancelled. A cancelled wait acquires
 * the mutex again without a record. */
bool wait_was_cancelled(const struct checker *c, uint64_t mutex);

/* Adds a finding. It is unexplained if the history is foreign; so for misuse(). */
void violation(struct checker *c, const char *fmt, ...) PRINTF(2, 3);
/* Adds a finding and marks o unsure; o may be NULL. */
void misuse(struct checker *c, struct object *o, const char *what);

#endif
