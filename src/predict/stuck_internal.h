/*
 * Stuck states, inside: what stuck_state.c (which states are stuck), stuck_query.c (the query of a
 * state) and stuck_search.c (the enumeration of states) share. Lifetime: phase, one call of
 * stuck_states().
 */
#ifndef HEDDLE_PREDICT_STUCK_INTERNAL_H
#define HEDDLE_PREDICT_STUCK_INTERNAL_H

#include "base/bitset.h"
#include "base/search.h"
#include "base/vec.h"
#include "ctp/transfers.h"
#include "ctp/waiting.h"
#include "predict/candidates.h"
#include "predict/stuck.h"

enum { MAX_THREADS = 64 };

/* Positions that are no event. */
#define UNSET    UINT32_MAX
#define FINISHED (UINT32_MAX - 1)
#define UNBORN   (UINT32_MAX - 2) /* not created */
#define ABSENT   (UINT32_MAX - 3) /* another alternative of the thread runs (merge.h) */

/* Events or critical sections by object: sorted by key, then number. */
struct index {
	struct keyed {
		uint64_t key;
		uint32_t at;
	} *at;
	uint32_t n, cap;
};

struct stuck {
	struct candidates *cs;
	const struct ctp *c;
	uint32_t kinds;
	struct vec_u32
		blocking[MAX_THREADS]; /* blocking events that can be part of a state, rising */
	struct bitset viable;          /* the same as a set of events */
	struct index regions;          /* critical sections by lock */
	struct index signals;          /* SIGNAL, BROADCAST by condition variable */
	struct index counted;          /* semaphore and barrier events by object */
	struct index creates;          /* CREATE by the group of the new thread (ctp_group()) */
	struct bitset alternatives;    /* threads with other alternatives */
	VEC(uint64_t) ways;            /* by event: hash of the events of its thread before it */
	struct bitset copies;          /* events that an earlier alternative has on the same way */
	struct transfers transfers;    /* bytes in pipes */
	struct bitset reads;           /* reads of a pipe that wait for one write */
	struct waitings waitings;      /* loops that wait */
	struct vec_u32 loops[MAX_THREADS]; /* those of each thread: indices in waitings, rising */
	/* the search around one centre */
	uint32_t centre;
	uint32_t pos[MAX_THREADS];  /* by thread: the event that it stands before, or as above */
	uint32_t loop[MAX_THREADS]; /* by thread: it waits in that loop of waitings; UNSET */
	uint32_t nodes, states;     /* of the search that are left; states proposed so far */
	bool cut;                   /* some states were not examined */
};

/* the first entry with that key */
static inline uint32_t index_find(const struct index *ix, uint64_t key)
{
	return lower_bound(0, ix->n, i, ix->at[i].key, key);
}
#define index_each(ix, k, i)                                                                       \
	for (uint32_t i = index_find(ix, k); i < (ix)->n && (ix)->at[i].key == (k); i++)

static inline bool stuck_is_event(uint32_t position)
{
	return position < ABSENT;
}

/* -- stuck_state.c -- */
/* Fills the indices and the blocking events. */
void stuck_index_events(struct stuck *s);
/* The index of the first of a thread's blocking events at or after e. */
uint32_t stuck_blocking_from(const struct vec_u32 *blocking, uint32_t e);
/* The thread of the alternative ends in the recorded run. The end of the main thread ends the
 * process. */
bool stuck_thread_ends(const struct ctp *c, uint32_t thread);
/* The thread of the critical section ends without unlocking. */
bool stuck_holds_at_end(const struct ctp *c, const struct ctp_region *r);
/* A thread may be stuck inside of the critical section, or end inside of it. */
bool stuck_section_may_stay(const struct stuck *s, const struct ctp_region *r);
/* The critical section of another thread excludes the lock event. */
bool stuck_excludes(const struct ctp_region *r, const struct ctp_event *e);
/* Of the state at hand: e was executed; the lock of e is held by another thread. */
bool stuck_executed(const struct stuck *s, uint32_t e);
bool stuck_is_held(const struct stuck *s, const struct ctp_event *e);
/* The position of the alternative that runs; UNSET if none is chosen yet. */
uint32_t stuck_position_of(const struct stuck *s, uint32_t thread);
/* No thread of the state can go on. */
bool stuck_is_final(const struct stuck *s);
/* The rank of a blocking event as a centre; 0: it is none. A loop has STUCK_LOOP. */
enum { STUCK_LOOP = 5 };
uint32_t stuck_priority(const struct ctp_event *e);
/* The state belongs to this centre, not to another one in it. */
bool stuck_is_centre(const struct stuck *s);
/* Another thread waits for what the centre's thread holds: the join is part of the deadlock. */
bool stuck_is_needed(const struct stuck *s);

/* -- stuck_query.c -- */
/* Adds the candidates of the state: a deadlock, and a lost wake-up where a signal can be lost. */
void stuck_offer_state(struct stuck *s);

#endif
