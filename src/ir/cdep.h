/*
 * Control dependence of one function (Ferrante, Ottenstein, Warren 1987, section 3.1): block b
 * depends on the edge u -> v if b post-dominates v but does not strictly post-dominate u; that is,
 * taking this edge at u makes b inevitable, and another choice at u may avoid it. A block can
 * depend on itself (a loop condition) and on several edges. Only u with two or more different
 * successors decide anything. In an endless loop the post-dominators' extra edge to the exit
 * counts as another choice of its header.
 *
 * The sets together can be quadratic in size, so they are not stored: an edge u -> v governs the
 * path in the post-dominator tree from v up to below u's parent, and cdep_get() finds the paths
 * through b in time proportional to the answer (times a logarithm). Building is O(m log² m).
 * Valid as long as the CFG and the post-dominators it was made from; heap.
 */
#ifndef HEDDLE_IR_CDEP_H
#define HEDDLE_IR_CDEP_H

#include "base/vec.h"
#include "ir/cfg.h"
#include "ir/dom.h"

#define CDEP_NONE UINT32_MAX

struct cdep {
	const struct dom *postdom;
	/* by block: of the edges it depends on, as indices into cfg.succ, the last one of the
	 * latest block that comes before it in reverse post-order: the decision last taken when it
	 * is first reached. If there is none before it, of the latest block at all. CDEP_NONE: it
	 * depends on no edge. */
	uint32_t *nearest;
	uint32_t n;     /* governing edges, by the post-dominator numbering of their targets */
	uint32_t *edge; /* index into cfg.succ */
	uint32_t *first; /* by number of that numbering: the first governing edge to it; one more */
	uint32_t *least; /* tree of minima over the depths at which the paths end */
	uint32_t leaves;
};

void cdep_init(struct cdep *d, const struct cfg *c, const struct dom *postdom);
void cdep_release(struct cdep *d);
/* appends every edge that b depends on, as rising indices into cfg.succ (see cfg_source) */
void cdep_get(const struct cdep *d, uint32_t b, struct vec_u32 *out);

#endif
