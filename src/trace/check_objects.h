/*
 * What the checker (check.c) believes while it goes along the observed order: the state of every
 * object, of every thread, and what is not known.
 *
 *  - a thread whose beginning is missing, or that went on unrecorded, is *dark*: meanwhile
 *    anything may have happened to any object, whose state is then unsure
 *  - a thread that was *cut* off when the process ended lacks at most the operation that was under
 *    way: what it holds it may have released, and it may have posted or entered once
 *  - memory that is freed or allocated, and the stack of a thread that ended, may hold new objects
 */
#ifndef HEDDLE_TRACE_CHECK_OBJECTS_H
#define HEDDLE_TRACE_CHECK_OBJECTS_H

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/check.h"

enum { NOBODY = UINT32_MAX, NEVER = UINT32_MAX };
enum { MUTEX_NORMAL, MUTEX_RECURSIVE, MUTEX_ERRORCHECK, MUTEX_ADAPTIVE, MUTEX_UNKNOWN };

struct object {
	uint64_t addr;
	uint32_t next; /* object of the same page, NOBODY at the end */
	uint32_t last; /* rank of its last operation */
	uint32_t life; /* raised when it is made anew */
	uint8_t what;  /* enum check_primitive */
	bool unsure;   /* its state is not known */
	/* mutexes, spin locks, reader-writer locks */
	uint8_t type; /* MUTEX_* */
	bool robust;
	uint32_t owner; /* thread, for writing; NOBODY */
	uint32_t depth;
	uint32_t acquirer; /* who took it last since it is unsure; NOBODY */
	struct vec_u32 readers;
	/* condition variables: signals under way, end of the last one (rank) */
	uint32_t signals_open, signal_end;
	/* semaphores and barriers; counted: value, or count, is known */
	bool counted;
	int64_t value;
	uint32_t count;
	uint64_t enters, leaves, serial;
	/* once */
	uint32_t runs, returns;
	struct order_point first_return;
};

struct check_thread {
	bool created, ended, joined;
	bool exhausted;       /* all its events were seen, and its history is not complete */
	uint64_t waits_mutex; /* in a wait: the mutex; stays when the wait was cancelled */
	bool held_mutex;      /* and held it before */
	uint32_t wait_rank;
	uint64_t barrier; /* inside this one */
	uint32_t barrier_life;
};

struct checker {
	struct check *out;
	const struct sync_order *o;
	const struct history *h;
	struct order_point now;
	uint32_t self; /* who owns what is locked now: a signal handler locks for its thread */
	uint32_t rank;
	struct check_thread *threads;
	VEC(struct object) objects;
	struct map by_addr, by_page, blocks; /* address -> object + 1; page -> first object + 1;
						block -> size */
	uint32_t ndark, ncut;                /* threads dark now; cut off before now */
	uint32_t last_dark;                  /* rank at which a thread was dark last; NEVER */
};

void checker_init(struct checker *c);
void checker_release(struct checker *c);

/* The object at the address; made, or made anew if it was another kind. NULL for address 0. Valid
 * until the next call. */
struct object *object_at(struct checker *c, uint64_t addr, enum check_primitive what);
void object_reset(struct object *o);
void object_unsure(struct object *o);
/* What lies there is not known any more. */
void objects_forget(struct checker *c, uint64_t lo, uint64_t hi);
void heap_step(struct checker *c, const struct sync_event *e);

void threads_before(struct checker *c);
void threads_after(struct checker *c);
/* The last operation of the thread may be missing, and is behind us. */
bool may_lack_last(const struct checker *c, uint32_t thread);
/* The owner may have released it unseen: cut off, or ended with a robust mutex. */
bool lock_may_be_free(const struct checker *c, const struct object *o, const struct sync_event *e);
bool readers_may_be_gone(const struct checker *c, const struct object *o);
bool readers_remove(struct object *o, uint32_t thread);
/* It was in a wait with the mutex, which was cancelled: it has the mutex again, unseen. */
bool wait_was_cancelled(const struct checker *c, uint64_t mutex);

void violation(struct checker *c, const char *fmt, ...) PRINTF(2, 3);
/* o may be NULL */
void misuse(struct checker *c, struct object *o, const char *what);

#endif
