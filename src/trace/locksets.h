/*
 * Interned sets of lock addresses: equal sets have equal numbers. Several host threads may intern
 * at the same time. 0 is the empty set; LOCKSET_ALL, the set of all locks, stands for "no access
 * yet".
 *
 * struct held has the locks that one thread holds, and their set.
 */
#ifndef HEDDLE_TRACE_LOCKSETS_H
#define HEDDLE_TRACE_LOCKSETS_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/history.h"

#include <pthread.h>

#define LOCKSET_ALL UINT32_MAX

struct lockset {
	uint64_t *at; /* addresses, ascending */
	uint32_t n;
};

struct locksets {
	VEC(struct lockset) at;
	struct map by_hash, meets; /* hash -> set; pair of sets -> their intersection + 1 */
	pthread_mutex_t lock;
};

void locksets_init(struct locksets *s);
void locksets_release(struct locksets *s);
/* The intersection. */
uint32_t lockset_meet(struct locksets *s, uint32_t a, uint32_t b);
/* The locks of a set; valid until the next set is interned. */
const struct lockset *lockset_get(const struct locksets *s, uint32_t id);

struct held {
	VEC(uint64_t) locks; /* in order of acquisition; a recursive one several times */
	uint32_t set;        /* the lockset of `locks` */
	struct map meets; /* this thread's cache of lockset_meet(): no locking needed */
	bool first;       /* main thread: while it has created no thread, or has joined all that it
			     created, it counts as alone and needs no lock */
	uint32_t others;  /* threads that it created and did not join */
};

/* Applies an event: acquisition or release of a mutex, reader-writer lock or spin lock. */
void held_step(struct held *h, struct locksets *s, const struct sync_event *e);
/* Intersection of `with` and the locks held at an access; `with` if the thread is alone. */
uint32_t held_meet(struct held *h, struct locksets *s, uint32_t with);
void held_release(struct held *h);

#endif
