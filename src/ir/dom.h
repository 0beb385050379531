/*
 * Dominator and post-dominator trees of one function (Lengauer and Tarjan 1979, with path
 * compression: O(m log n). The iterative algorithm of Cooper, Harvey and Kennedy is quadratic on
 * long sequences of branches to one exit label). Valid until the CFG changes. Heap, owned by the
 * struct.
 *
 *  - idom[b] is the immediate dominator of b; idom[root] == root
 *  - blocks that are not reachable from the entry have idom == BLK_NONE, in both trees
 *  - depth[root] == 0; kids of b: kids[kid_at[b] .. kid_at[b + 1]), by ascending number
 *
 * The post-dominator tree has one more node, `root`, the virtual exit, with the number cfg.n. Every
 * reachable block without successors has an edge to it. A region that control can enter but not
 * leave has a terminal strongly connected component; the first block of that component in reverse
 * post-order (the loop header) also has an edge to the exit. These blocks are listed in `endless`.
 * With these edges the exit is reachable from every reachable block.
 */
#ifndef HEDDLE_IR_DOM_H
#define HEDDLE_IR_DOM_H

#include "base/vec.h"
#include "ir/cfg.h"

struct dom {
	uint32_t n, root;
	uint32_t *idom, *depth;
	uint32_t *kid_at, *kids;
	uint32_t *pre, *last;     /* preorder numbers: the subtree of a has pre[a] to last[a] */
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

#endif
