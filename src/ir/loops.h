/*
 * Loop forest of one function. A loop is a maximal strongly connected set of reachable blocks (or
 * a single block with an edge to itself); its header is its block that comes first in reverse
 * post-order; the loops inside it are found in the same way after the header is taken out. This is
 * the forest of natural loops where the control flow is reducible.
 *
 * An irreducible region, a cycle with several entries, is one loop too: the header is the entry
 * met first, `irreducible` is set, loops_entries() lists all entries. What is said of membership,
 * exits and nesting then still holds of every path; only "the header dominates the body" does not.
 * A client that needs that asks for !irreducible.
 *
 * Havlak's algorithm in the almost linear form of Ramalingam (1999): edges that cross the
 * depth-first tree wait at the nearest common ancestor of their ends. Valid until the CFG changes;
 * heap, owned by the struct.
 *
 *  - loops are numbered outer before inner: parent < child
 *  - blocks of loop l, inner ones included: blocks[first .. first + n), a header is the first of
 *    its loop's
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
	uint32_t *index;  /* by block: where it stands in blocks, or LOOP_NONE */
};

void loops_init(struct loops *l, const struct cfg *c);
void loops_release(struct loops *l);

static inline bool loop_contains(const struct loops *l, uint32_t loop, uint32_t b)
{
	return l->index[b] != LOOP_NONE && l->index[b] - l->at.at[loop].first < l->at.at[loop].n;
}
/* how many loops are around the block */
static inline uint32_t loop_depth(const struct loops *l, uint32_t b)
{
	return l->of[b] == LOOP_NONE ? 0 : l->at.at[l->of[b]].depth;
}

/* These append to `out`, by rising index or block. Each looks at every edge of the loop's blocks
 * (latches: of the header), so asking for all loops costs edges times depth. */
/* edges that leave the loop, as indices into cfg.succ */
void loop_exits(const struct loops *l, const struct cfg *c, uint32_t loop, struct vec_u32 *out);
/* blocks of the loop with an edge to its header, each once */
void loop_latches(const struct loops *l, const struct cfg *c, uint32_t loop, struct vec_u32 *out);
/* blocks of the loop that are entered from reachable blocks outside; the function's entry too */
void loop_entries(const struct loops *l, const struct cfg *c, uint32_t loop, struct vec_u32 *out);

#endif
