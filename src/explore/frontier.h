/*
 * The states that are not explored yet, and the strategy that orders them.
 *
 * A state is a saved machine and its difference from the path that it was forked from: one more
 * condition, or the thread that runs next. Its trail (the decisions since the start; states share
 * common parts) is sufficient to reach the state again by execution from the start. Therefore only
 * the trail is written to disk, and only the trail is kept when memory is short.
 *
 * Lifetime: heap, owner struct explore.
 */
#ifndef HEDDLE_EXPLORE_FRONTIER_H
#define HEDDLE_EXPLORE_FRONTIER_H

#include "base/vec.h"
#include "machine/save.h"
#include "explore/explore.h"
#include "explore/reduce.h"

/* ---- trails: decisions since the start, the last one first ----------------------------------- */

struct trail {
	uint32_t refs;
	uint32_t choice; /* of a fork 0 or 1; of the choice of a thread its id */
	uint32_t number; /* while the frontier is written: its number in the file */
	uint64_t depth;  /* number of decisions, this one included */
	struct trail *before;
};

struct trail *trail_add(struct trail *before, uint32_t choice); /* adds a reference to `before` */
struct trail *trail_keep(struct trail *t);
void trail_drop(struct trail *t);
/* the choices from the start on; appended */
void trail_list(const struct trail *t, struct vec_u32 *out);

/* ---- snapshots: one saved machine, several states -------------------------------------------- */

struct snapshot {
	uint32_t refs, waiting; /* references; those from states in the frontier */
	struct saved *saved;
	uint64_t bytes;
};

/* ---- choices that the reduction omitted ------------------------------------------------------ */

/*
 * A step that accesses nothing shared is chosen alone. If it nevertheless ends the program, by a
 * fault, other threads could have run before it: struct omitted holds these choices, and they
 * become states then, once. All states that were forked in the middle of the step share it.
 */
struct omitted {
	uint32_t refs, number;       /* number: in the file, from 1, during the write */
	struct snapshot *snap;       /* before the choice; NULL: reach it by the trail */
	struct trail *trail;
	enum exec_pick why;
	uint32_t node;               /* see struct state */
	struct sleep sleep;
	VEC(struct pending) others;  /* the omitted choices; empty after they became states */
};

struct omitted *omitted_keep(struct omitted *s);
void omitted_drop(struct omitted *s); /* of NULL: nothing */

/* ---- states ---------------------------------------------------------------------------------- */

struct state {
	struct snapshot *snap; /* NULL: reach the state by its trail */
	term_t assume;         /* condition to add to the path condition; TERM_NONE */
	uint32_t pick;         /* the thread to run; IR_NONE = the current one */
	enum exec_pick why;    /* of that choice */
	struct trail *trail;   /* including the choice that made this state */
	uint32_t func, block;  /* the block that it will execute, for coverage; IR_NONE */
	uint64_t order;        /* serial number */
	uint32_t node;         /* the last state of its path that was noted for merging (merge.c) */
	struct sleep sleep;    /* threads that need not run first here */
	struct omitted *omitted;   /* of the step that it is in, or NULL */
};

struct frontier;
struct frontier *frontier_new(enum explore_search search, uint64_t seed, const struct coverage *cov);
void frontier_free(struct frontier *f);
void frontier_add(struct frontier *f, struct state *s);
/* Removes the next state by the strategy, which the caller then owns; NULL if there is none. */
struct state *frontier_take(struct frontier *f);
uint64_t frontier_count(const struct frontier *f);
uint64_t frontier_bytes(const struct frontier *f);
/* Drops the saved machines of the states that will run last, until the frontier has no more than
 * that many bytes; the trails stay. */
void frontier_shrink(struct frontier *f, uint64_t bytes);
/* For writing it to disk. */
struct state *const *frontier_list(const struct frontier *f);

struct state *state_new(void);
void state_free(struct state *s);
struct snapshot *snapshot_new(struct saved *s);
struct snapshot *snapshot_keep(struct snapshot *s);
void snapshot_drop(struct snapshot *s);

#endif
