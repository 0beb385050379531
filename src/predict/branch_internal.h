/*
 * The property of decisions that depend on the schedule, inside: prop_branch.c proposes guards,
 * branch_try.c tries for locks and semaphores.
 */
#ifndef HEDDLE_PREDICT_BRANCH_INTERNAL_H
#define HEDDLE_PREDICT_BRANCH_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "explain/branch.h"
#include "predict/candidates.h"
#include "facts/spin.h"

struct try_list {
	struct vec_u32 regions; /* critical sections of a lock */
	struct vec_u32 ops;     /* posts and waits of a semaphore */
};

struct branching {
	struct candidates *cs;
	const struct ctp *c;
	struct spins *spins; /* NULL without a program */
	struct branch_places places;
	struct map tries;    /* location -> candidates */
	struct map rounds;   /* thread and location of a loop that waits -> event + 1 of its latest
				round that   continues and is no candidate yet; UINT64_MAX: all are; 0:
				none continues */
	struct map lists_of; /* object -> first of `lists` + 1 */
	VEC(struct try_list) lists;
};

/* Appends a candidate of the location of the event, AT it; NULL: the location has enough. */
struct candidate *branching_add(struct branching *b, uint32_t event, uint32_t other, uint32_t cost);
void branching_tries_init(struct branching *b);
void branching_tries_release(struct branching *b);
/* Appends the candidates of a try; nothing for other events. */
void branching_try(struct branching *b, uint32_t event);

#endif
