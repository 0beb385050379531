/*
 * Dominator and post-dominator trees of one function (Lengauer and Tarjan 1979, with path
 * compression: O(m log n) also for the long ladders into one exit label on which the iterative
 * algorithm of Cooper, Harvey and Kennedy walks quadratically far).
 * Valid until the CFG changes. Heap, owned by the struct.
 *
 *  - idom[b] is the immediate dominator of b; idom[root] == root
 *  - blocks that the entry does not reach have idom == BLK_NONE, in both trees
 *  - depth[root] == 0; kids of b: kids[kid_at[b] .. kid_at[b + 1]), by rising number
 *
 * Post-dominators have one more node, `root`, the virtual exit, numbered cfg.n. Every reachable
 * block without successors has an edge to it. A region that control can enter but not leave has a
 * terminal strongly connected component; from its block that comes first in reverse post-order
 * (the loop header) one more edge goes to the exit. These blocks are listed in `endless`, and
 * with these edges every reachable block reaches the exit.
 */
#ifndef HEDDLE_IR_DOM_H
#define HEDDLE_IR_DOM_H

#include "base/vec.h"
#include "ir/cfg.h"

struct dom {
	uint32_t n, root;
	uint32_t *idom, *depth;
	uint32_t *kid_at, *kids;
	uint32_t *pre, *last;     /* numbering of the tree: a's subtree is pre[a] .. last[a] */
	VEC(uint32_t) endless;    /* post-dominators only */
};

void dom_init(struct dom *d, const struct cfg *c);
void postdom_init(struct dom *d, const struct cfg *c);
void dom_release(struct dom *d);

/* a dominates b (also when a == b); false when either is unreachable */
static inline bool dominates(const struct dom *d, uint32_t a, uint32_t b)
{
	return d->idom[a] != BLK_NONE && d->idom[b] != BLK_NONE && d->pre[a] <= d->pre[b] &&
		d->pre[b] <= d->last[a];
}
/* the lowest common ancestor of two reachable blocks; walks the tree */
uint32_t dom_common(const struct dom *d, uint32_t a, uint32_t b);

#endif
