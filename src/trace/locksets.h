/*
 * Sets of locks by address, interned: small numbers that several host threads may share. 0 is the
 * empty set; LOCKSET_ALL stands for "no access yet", which every set is part of.
 *
 * struct held is what one thread holds, with its set always at hand.
 */
#ifndef HEDDLE_TRACE_LOCKSETS_H
#define HEDDLE_TRACE_LOCKSETS_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/history.h"

#include <pthread.h>

#define LOCKSET_ALL UINT32_MAX

struct lockset {
	uint64_t *at; /* rising */
	uint32_t n;
};

struct locksets {
	VEC(struct lockset) at;
	struct map by_hash, meets; /* pairs of sets -> their intersection + 1 */
	pthread_mutex_t lock;
};

void locksets_init(struct locksets *s);
void locksets_release(struct locksets *s);
uint32_t lockset_intern(struct locksets *s, const uint64_t *locks, uint32_t n);
uint32_t lockset_meet(struct locksets *s, uint32_t a, uint32_t b);
/* The locks of a set; valid as long as nobody adds one. */
const struct lockset *lockset_get(const struct locksets *s, uint32_t id);

struct held {
	VEC(uint64_t) locks; /* in the order taken; a recursive one several times */
	uint32_t set;
	struct map meets; /* of this thread, so that it need not ask */
	bool first;       /* it is the main thread, which is alone while it has started no other one or
			     has joined all: then it needs no lock */
	uint32_t others;  /* that it started and did not join */
};

/* Mutexes, reader-writer locks and spin locks taken or given back by the event. */
void held_step(struct held *h, struct locksets *s, const struct sync_event *e);
uint32_t held_meet(struct held *h, struct locksets *s, uint32_t with);
void held_release(struct held *h);

#endif
