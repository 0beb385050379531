/*
 * The solver of constraints.h: the least solution, in waves (Pereira, Berlin 2009). Each wave
 * finds the cycles of copies among what changed, makes one node of each, and carries the
 * differences along in topological order; loads, stores and calls add edges as pointers arrive.
 *
 *  - a node is represented by rep(node); pts is what its edges and uses have seen, delta what they
 *    have not
 *  - an object has load cells and store cells; a store cell has an edge to each load cell it meets
 *  - a store is attached to a cell only when its value holds a pointer: most never do
 *
 * Lifetime: phase. A solution is final: to solve again, build a new system.
 */
#ifndef HEDDLE_FACTS_SOLVER_H
#define HEDDLE_FACTS_SOLVER_H

#include "base/map.h"
#include "base/sparse.h"
#include "base/vec.h"
#include "facts/constraints.h"

struct pts_node {
	uint32_t parent; /* itself: a representative */
	struct sparse pts, delta;
	struct sparse succ;    /* copies to */
	uint32_t uses, values; /* lists: constraints on this pointer; stores of this value */
	bool live;             /* `values` are attached */
	bool queued;           /* in `changed` */
};

struct pts_use_list {
	uint32_t constraint, next;
};

struct pts_cell {
	uint32_t loc, width, node;
};

struct pts_transfer { /* a FETCH or PUT that takes this object's store cells elsewhere */
	uint32_t constraint, loc;
};

struct pts_memory_state {
	uint32_t nlocs;
	uint32_t any; /* location of OFFS_ANY + 1; 0 = none yet */
	bool collapsed;
	VEC(struct pts_cell) loads, stores; /* one each when collapsed */
	VEC(struct pts_transfer) transfers;
	/* constraints with a location here that cannot be accessed: once collapsed, it can */
	VEC(uint32_t) refused;
};

struct pts_stats {
	uint32_t waves, nodes, merged, edges, locations, collapsed;
};

struct pts_solver {
	struct pts_system *sys;
	uint32_t consumed; /* constraints of sys->list already in place */
	VEC(struct pts_node) nodes;
	VEC(struct pts_use_list) uses; /* [0] ends a list */
	VEC(uint32_t) changed;    /* queued nodes */
	VEC(uint32_t) order;      /* of one wave, last first */
	VEC(struct pts_loc) locs;
	VEC(uint32_t) loc_chain;     /* next of the same hash + 1 */
	struct map loc_by_hash;      /* -> first + 1 */
	struct sparse inert;         /* locations of objects that have no cells and no offsets */
	VEC(uint32_t) load8, store8; /* by location: cell node of width 8, or 0 */
	struct map load_at, store_at; /* location << 32 | width -> cell node, other widths */
	struct map transferred;       /* constraint << 32 | location */
	VEC(struct pts_memory_state) objects;
	VEC(struct pts_cell) new_cells; /* store cells of objects with transfers */
	VEC(uint32_t) to_collapse;
	struct pts_stats stats;
	struct pts_visit *visits; /* of cycles.c, by node */
	uint32_t nvisits, pass;
};

struct pts_solver *pts_solve(struct pts_system *sys);
void pts_solver_free(struct pts_solver *s);

/* The locations of a node, by id; pts_loc_of() gives what the id stands for now. Ids of a collapsed
 * object all stand for the same. */
const struct sparse *pts_set(const struct pts_solver *s, uint32_t node);
struct pts_loc pts_loc_of(const struct pts_solver *s, uint32_t loc);

/* ---- inside the solver ------------------------------------------------------------------- */

uint32_t pts_rep(struct pts_solver *s, uint32_t node);
uint32_t pts_new_node(struct pts_solver *s);
/* the node's delta has grown */
void pts_queue(struct pts_solver *s, uint32_t node);
/* locations that are new to some uses: those that no operation moves and nobody accesses are kept
 * apart, they are many and go along as they are */
struct pts_fresh {
	struct sparse moving, inert;
};
void pts_fresh_init(struct pts_solver *s, struct pts_fresh *f, const struct sparse *set);
void pts_fresh_release(struct pts_fresh *f);
/* the constraint looks at new locations */
void pts_use(struct pts_solver *s, uint32_t constraint, const struct pts_fresh *fresh);
void pts_edge(struct pts_solver *s, uint32_t from, uint32_t to);
void pts_unite(struct pts_solver *s, uint32_t a, uint32_t b);

/* cells.c */
uint32_t pts_intern(struct pts_solver *s, uint32_t object, struct offs at);
/* the node to load from or store to there, where that can be */
uint32_t pts_load_cell(struct pts_solver *s, uint32_t loc, uint32_t width);
uint32_t pts_store_cell(struct pts_solver *s, uint32_t loc, uint32_t width);
void pts_refuse(struct pts_solver *s, uint32_t constraint, uint32_t object);
uint32_t pts_init_cell(struct pts_solver *s, uint32_t object, struct offs at);
/* a FETCH or PUT has a new location */
void pts_transfer_fetch(struct pts_solver *s, uint32_t constraint, uint32_t loc);
void pts_transfer_put(struct pts_solver *s, uint32_t constraint, uint32_t loc);
/* Carries new cells along the transfers of their object, and makes one cell of each object that has
 * too many. It unites nodes, so nobody may be iterating over them. */
void pts_settle_cells(struct pts_solver *s);

/* cycles.c: unites the cycles of copies reachable from `changed`, and fills `order` */
void pts_order_wave(struct pts_solver *s);

#endif
