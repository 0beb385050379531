/*
 * Loop forest of one function. A loop is a maximal strongly connected set of reachable blocks (or
 * a single block with an edge to itself); its header is its block that comes first in reverse
 * post-order; the loops inside it are found in the same way after the header is removed, so that a
 * block is the header of at most one loop. For reducible control flow this is the forest of natural
 * loops.
 *
 * An irreducible region, a cycle with several entries, is also one loop: the header is the first
 * entry in reverse post-order, `irreducible` is set, and loop_entries() lists all entries.
 * Membership, exits and nesting still hold for every path, but the header does not dominate the
 * body. A client that relies on this dominance must check `irreducible`.
 *
 * Havlak's algorithm in the almost linear form of Ramalingam (1999): an edge that crosses the
 * depth-first tree is added at the nearest common ancestor of its ends. Valid until the CFG
 * changes; heap, owned by the struct.
 *
 *  - loops are numbered outer before inner: parent < child
 *  - blocks of a loop, with those of its inner loops: blocks[first .. first + n); the first is the
 *    header
 *  - of[b] is the innermost loop around b, or LOOP_NONE
 */
#ifndef HEDDLE_IR_LOOPS_H
#define HEDDLE_IR_LOOPS_H

#include "base/vec.h"
#include "ir/cfg.h"

#define LOOP_NONE UINT32_MAX

struct loop {
	uint32_t header;
	uint32_t parent; /* LOOP_NONE at the top */
	uint32_t depth;  /* 1 at the top */
	uint32_t first, n;
	bool irreducible;
};

struct loops {
	VEC(struct loop) at;
	uint32_t *of;     /* by block */
	uint32_t *blocks; /* blocks in loops */
	uint32_t *index;  /* by block: its index in blocks, or LOOP_NONE */
};

void loops_init(struct loops *l, const struct cfg *c);
void loops_release(struct loops *l);

static inline bool loop_contains(const struct loops *l, uint32_t loop, uint32_t b)
{
	return l->index[b] != LOOP_NONE && l->index[b] - l->at.at[loop].first < l->at.at[loop].n;
}
/* the number of loops that contain the block */
static inline uint32_t loop_depth(const struct loops *l, uint32_t b)
{
	return l->of[b] == LOOP_NONE ? 0 : l->at.at[l->of[b]].depth;
}

/* These append to `out`, by ascending index or block. Each visits every edge of the loop's blocks
 * (loop_latches: of the header), so that all loops together cost edges times depth. */
/* edges that leave the loop, as indices into cfg.succ */
void loop_exits(const struct loops *l, const struct cfg *c, uint32_t loop, struct vec_u32 *out);
/* blocks of the loop with an edge to its header, each once */
void loop_latches(const struct loops *l, const struct cfg *c, uint32_t loop, struct vec_u32 *out);

#endif
