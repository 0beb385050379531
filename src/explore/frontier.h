/*
 * States that wait to be explored, and the order in which they are.
 *
 * A state is a saved machine, and what makes it differ from the state that it was forked from: one
 * more condition, or the thread that runs next. Its trail (the decisions since the start, shared with
 * its relatives) is enough to find it again by executing from the start: this is what is written to
 * disk and what is left of a state when memory is short.
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
	uint32_t choice; /* of a fork 0 or 1; of a pick the thread */
	uint32_t number; /* while the frontier is written: its place in the file */
	uint64_t depth;  /* decisions up to this one */
	struct trail *before;
};

struct trail *trail_add(struct trail *before, uint32_t choice); /* takes a reference of its own */
struct trail *trail_keep(struct trail *t);
void trail_drop(struct trail *t);
/* the choices from the start on; appended */
void trail_list(const struct trail *t, struct vec_u32 *out);

/* ---- snapshots: one saved machine, several states -------------------------------------------- */

struct snapshot {
	uint32_t refs, waiting; /* holders; of them states in the frontier */
	struct saved *saved;
	uint64_t bytes;
};

/* ---- spares: the others at a choice that the reduction left alone ------------------------------- */

/*
 * A step that touches nothing shared is chosen alone. If it ends the program all the same, by a fault,
 * the others could have been there first: they become states then, once. All states that were forked
 * off amid the step share the spare.
 */
struct spare {
	uint32_t refs, number;       /* while the frontier is written: its place in the file, from 1 */
	struct snapshot *snap;       /* before the choice; NULL: to be found again by the trail */
	struct trail *trail;
	enum exec_pick why;
	struct sleep sleep;
	VEC(struct pending) others;  /* empty when it was used */
};

struct spare *spare_keep(struct spare *s);
void spare_drop(struct spare *s); /* of NULL: nothing */

/* ---- states ---------------------------------------------------------------------------------- */

struct state {
	struct snapshot *snap; /* NULL: to be found again by its trail */
	term_t assume;         /* holds on it from here on; TERM_NONE */
	uint32_t pick;         /* the thread to run; IR_NONE = the one that ran */
	enum exec_pick why;    /* of that choice */
	struct trail *trail;   /* including what made this state */
	uint32_t func, block;  /* where it stands, for coverage */
	uint64_t order;        /* number of its making */
	struct sleep sleep;    /* threads that need not run first here */
	struct spare *spare;   /* of the step that it stands in, or NULL */
};

struct frontier;
struct frontier *frontier_new(enum explore_search search, uint64_t seed, const struct coverage *cov);
void frontier_free(struct frontier *f);
void frontier_add(struct frontier *f, struct state *s);
/* The next state by the strategy, or NULL; it is the caller's now. */
struct state *frontier_take(struct frontier *f);
uint64_t frontier_count(const struct frontier *f);
uint64_t frontier_bytes(const struct frontier *f);
/* Drops saved machines of the states that will run last, until no more than that many bytes are
 * held; their trails stay. */
void frontier_shrink(struct frontier *f, uint64_t bytes);
/* For writing it to disk. */
struct state *const *frontier_list(const struct frontier *f);

struct state *state_new(void);
void state_free(struct state *s);
struct snapshot *snapshot_new(struct saved *s);
struct snapshot *snapshot_keep(struct snapshot *s);
void snapshot_drop(struct snapshot *s);

#endif
