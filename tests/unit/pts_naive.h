/*
 * The slow twin of src/facts/solver.h: applies every constraint of constraints.h, as it is written
 * there, until nothing changes. No cycles, no differences, no lazy cells; plain arrays. When an
 * object has too many offsets it is marked as collapsed and everything starts again.
 */
#ifndef HEDDLE_TESTS_PTS_NAIVE_H
#define HEDDLE_TESTS_PTS_NAIVE_H

#include "base/map.h"
#include "base/vec.h"
#include "facts/solver.h"

struct naive_set {
	VEC(struct pts_loc) locs;
};

struct naive_cell {
	struct offs at;
	uint32_t width;
	struct naive_set set;
};

struct naive {
	struct pts_system *sys;
	VEC(struct naive_set) nodes;
	VEC(struct naive_memory {
		VEC(struct naive_cell) cells;
		VEC(struct offs) seen; /* every offset set that stood in a pointer or a cell */
		bool collapsed;
	}) objects;
	struct map bound; /* site << 32 | object */
	uint32_t ncollapsed;
	bool changed, restart;
};

struct naive *naive_solve(struct pts_system *sys);
/* Is the solution closed: does no constraint add anything to it? (What is bound is not asked.) */
bool naive_accepts(const struct pts_solver *s);
void naive_free(struct naive *n);
bool naive_has(const struct naive_set *set, struct pts_loc l);

#endif
