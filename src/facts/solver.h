/*
 * The solver of constraints.h: computes the least solution in waves (Pereira, Berlin 2009). Each
 * wave finds the cycles of copies among the changed nodes, unites the nodes of each cycle, and
 * propagates the differences in topological order; loads, stores and calls add edges when pointers
 * arrive.
 *
 *  - a node is represented by pts_rep(node). Its edges and uses have processed the locations in
 *    pts, but not yet those in delta
 *  - an object has load cells and store cells; a store cell has an edge to each load cell that it
 *    overlaps
 *  - a store is connected to a cell only when its value holds a pointer, which is rare
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
	uint32_t parent; /* union-find; a representative is its own parent */
	struct sparse pts, delta; /* locations */
	struct sparse succ;    /* nodes that copy from this one */
	uint32_t uses, values; /* lists in pts_solver.uses: constraints on this pointer; stores of
				  this value */
	bool live;             /* the value has held a pointer, so that its stores are connected */
	bool queued;           /* in `changed` */
};

struct pts_use_list {
	uint32_t constraint, next; /* next: index in pts_solver.uses, 0 at the end */
};

struct pts_cell { /* `width` bytes at a location; the node has its contents */
	uint32_t loc, width, node;
};

struct pts_transfer { /* a FETCH or PUT that copies the store cells of an object elsewhere */
	uint32_t constraint, loc;
};

struct pts_memory_state {
	uint32_t nlocs; /* number of its locations */
	uint32_t any; /* location of OFFS_ANY + 1; 0 = none yet */
	bool collapsed;
	VEC(struct pts_cell) loads, stores; /* at most one each when collapsed */
	VEC(struct pts_transfer) transfers;
	/* constraints that could not access their location here; they are repeated when the object
	 * is collapsed */
	VEC(uint32_t) refused;
};

struct pts_stats {
	uint32_t waves, nodes, merged, edges, locations, collapsed;
};

struct pts_solver {
	struct pts_system *sys;
	uint32_t consumed; /* number of constraints of sys->list that have been processed */
	VEC(struct pts_node) nodes;
	VEC(struct pts_use_list) uses; /* [0] is the end of a list */
	VEC(uint32_t) changed;    /* queued nodes */
	VEC(uint32_t) order;      /* nodes of one wave, last first */
	VEC(struct pts_loc) locs;
	VEC(uint32_t) loc_chain;     /* by location: next location of the same hash + 1, 0 = none */
	struct map loc_by_hash;      /* -> first location + 1 */
	struct sparse inert;         /* locations of objects without cells and offsets (PTS_CODE,
					PTS_TEXT) */
	VEC(uint32_t) load8, store8; /* by location: cell node of width 8, or 0 */
	struct map load_at, store_at; /* location << 32 | width -> cell node, other widths */
	struct map transferred;       /* set of constraint << 32 | location */
	VEC(struct pts_memory_state) objects;
	VEC(struct pts_cell) new_cells; /* store cells of objects with transfers */
	VEC(uint32_t) to_collapse;
	struct pts_stats stats;
	struct pts_visit *visits; /* by node; private to cycles.c */
	uint32_t nvisits, pass;
};

struct pts_solver *pts_solve(struct pts_system *sys);
void pts_solver_free(struct pts_solver *s);

/* The ids of the locations of a node; pts_loc_of() gives the location. All ids of a collapsed
 * object give the same location. */
const struct sparse *pts_set(const struct pts_solver *s, uint32_t node);
struct pts_loc pts_loc_of(const struct pts_solver *s, uint32_t loc);

/* ---- inside the solver ------------------------------------------------------------------- */

/* the representative of the node; compresses the path */
uint32_t pts_rep(struct pts_solver *s, uint32_t node);
uint32_t pts_new_node(struct pts_solver *s);
/* Locations that are new to some uses. The inert ones are separate: they are many, no operation
 * changes their offsets, and only calls use them. */
struct pts_fresh {
	struct sparse moving, inert;
};
void pts_fresh_release(struct pts_fresh *f);
/* processes new locations of the pointer of the constraint */
void pts_use(struct pts_solver *s, uint32_t constraint, const struct pts_fresh *fresh);
/* adds a copy from one node to the other; the target gets the pts of the source at once */
void pts_edge(struct pts_solver *s, uint32_t from, uint32_t to);
/* makes one node of two; the representative of a remains */
void pts_unite(struct pts_solver *s, uint32_t a, uint32_t b);

/* cells.c: the id of a location; of OFFS_ANY if the object is collapsed */
uint32_t pts_intern(struct pts_solver *s, uint32_t object, struct offs at);
/* The node of the load or store cell; created on first use. The access must be possible there. */
uint32_t pts_load_cell(struct pts_solver *s, uint32_t loc, uint32_t width);
uint32_t pts_store_cell(struct pts_solver *s, uint32_t loc, uint32_t width);
/* The constraint cannot access its location: repeat it if the object is collapsed later. */
void pts_refuse(struct pts_solver *s, uint32_t constraint, uint32_t object);
/* the store cell of width 8 for initial contents */
uint32_t pts_init_cell(struct pts_solver *s, uint32_t object, struct offs at);
/* processes a new location of a FETCH or PUT */
void pts_transfer_fetch(struct pts_solver *s, uint32_t constraint, uint32_t loc);
void pts_transfer_put(struct pts_solver *s, uint32_t constraint, uint32_t loc);
/* Applies the transfers of objects to their new cells, and collapses the objects that have too many
 * locations. It unites nodes, so it must not be called during an iteration over the sets of
 * nodes. */
void pts_settle_cells(struct pts_solver *s);

/* cycles.c: unites the cycles of copies that are reachable from `changed`, and fills `order` */
void pts_order_wave(struct pts_solver *s);

#endif
