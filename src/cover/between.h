/*
 * Static questions of precondition slicing (paper 000, Figure 3): what may happen between a branch and
 * the place where its ways join again, if it goes another way than the trace did. Blocks from which
 * the process ends (exits.h) do not count as ways.
 *
 * Answers are computed once for each branch and edge. Lifetime: heap, between_free(); the
 * synchronization operations, markers and the points-to analysis must live longer.
 */
#ifndef HEDDLE_COVER_BETWEEN_H
#define HEDDLE_COVER_BETWEEN_H

#include "base/bitset.h"
#include "base/vec.h"
#include "cover/exits.h"
#include "cover/markers.h"

struct memory_set { /* objects of the points-to analysis */
	struct bitset objects;
	bool outside; /* also all memory that code outside the program can reach */
};

struct between_ways { /* the ways of a branch that the trace did not take, up to the join */
	bool syncs;   /* may synchronize, or pass a marker */
	struct vec_u32 copies; /* registers that edges on these ways set */
	struct memory_set writes;
};

struct between;

struct between *between_new(const struct sync_ops *so, const struct points_to *pt,
	const struct exits *x, const struct markers *ms);
void between_free(struct between *b);
/* Postdominates() of Figure 3: does every way from block `from` to the end of the function pass
 * `head`? */
bool between_must(struct between *b, uint32_t func, uint32_t from, uint32_t head);
/* The ways from the end of the block that do not begin with `edge`. The result lives as long as b. */
const struct between_ways *between_ways(
	struct between *b, uint32_t func, uint32_t block, uint32_t edge);

/* The memory that an access through the operand may touch. Adds to *out. */
void memory_set_add(const struct points_to *pt, uint32_t func, ir_ref at, struct memory_set *out);
bool memory_sets_overlap(
	const struct points_to *pt, const struct memory_set *a, const struct memory_set *b);
void memory_set_release(struct memory_set *m);

#endif
