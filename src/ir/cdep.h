/*
 * Control dependence of one function (Ferrante, Ottenstein, Warren 1987, section 3.1): block b
 * depends on the edge u -> v if b post-dominates v but does not strictly post-dominate u; that is,
 * taking this edge at u makes b inevitable, and another choice at u may avoid it. A block can
 * depend on itself (a loop condition) and on several edges. Only edges of a block u with two or
 * more different successors in the CFG count. The extra edge of the post-dominators from the header
 * of an endless loop to the exit is another choice of such a header: blocks that all paths through
 * the loop execute also depend on its edges.
 *
 * The sets together can have quadratic size, so they are not stored: the blocks that depend on the
 * edge u -> v are those on the path in the post-dominator tree from v up to, but without, the
 * parent of u (the edge *governs* the path). cdep_get() finds the paths through b in time
 * proportional to the answer times a logarithm. Building is O(m log² m). Valid as long as the CFG
 * and the post-dominators from which it was built; heap.
 */
#ifndef HEDDLE_IR_CDEP_H
#define HEDDLE_IR_CDEP_H

#include "base/vec.h"
#include "ir/cfg.h"
#include "ir/dom.h"

#define CDEP_NONE UINT32_MAX

struct cdep {
	const struct dom *postdom;
	/* by block: one of the edges that it depends on, as an index into cfg.succ: the last edge
	 * of the source that comes latest among those before the block in reverse post-order, which
	 * is the last branch taken when the block is first reached. If no source is before the
	 * block, the last edge of the latest source. CDEP_NONE: the block depends on no edge. */
	uint32_t *nearest;
	uint32_t n;     /* number of governing edges; they are sorted by the dom.pre of their
			   targets */
	uint32_t *edge; /* index into cfg.succ */
	uint32_t *first; /* by dom.pre: the first governing edge to that block; postdom->n + 1
			    entries */
	uint32_t *least; /* segment tree of minima over the depths above which the paths lie */
	uint32_t leaves;
};

void cdep_init(struct cdep *d, const struct cfg *c, const struct dom *postdom);
void cdep_release(struct cdep *d);
/* appends every edge that b depends on, as ascending indices into cfg.succ (see cfg_source) */
void cdep_get(const struct cdep *d, uint32_t b, struct vec_u32 *out);

#endif
