/*
 * Control-flow graph of one function: successors and predecessors in compressed rows, and a
 * reverse post-order. Valid until the function changes. Linear to build; one heap block, owned by
 * the struct.
 *
 *  - successors of b: succ[succ_at[b] .. succ_at[b + 1]), in the terminator's order (for a switch:
 *    default first); two cases to one block are two entries
 *  - predecessors are ordered by ascending block, then in that block's order
 *  - rpo[0] is the entry; blocks that are not reachable from it are not in rpo, and their rpo_of is
 *    BLK_NONE. A block is before its successors in rpo, except on back edges.
 */
#ifndef HEDDLE_IR_CFG_H
#define HEDDLE_IR_CFG_H

#include "ir/graph.h"
#include "ir/ir.h"

#define BLK_NONE UINT32_MAX

struct cfg {
	uint32_t n, m; /* blocks, edges */
	uint32_t *succ_at, *succ;
	uint32_t *succ_edge; /* parallel to succ: id in ir_func.edges */
	uint32_t *pred_at, *pred;
	uint32_t *pred_succ; /* parallel to pred: index of the same edge in succ */
	uint32_t *rpo, *rpo_of;
	uint32_t nrpo; /* reachable blocks */
};

void cfg_init(struct cfg *c, const struct ir_func *f);
/* The same without the edges to some blocks: without[b] is not 0; NULL = all edges. */
void cfg_init_without(struct cfg *c, const struct ir_func *f, const uint8_t *without);
void cfg_release(struct cfg *c);

static inline bool cfg_reachable(const struct cfg *c, uint32_t b)
{
	return c->rpo_of[b] != BLK_NONE;
}
static inline struct graph cfg_graph(const struct cfg *c)
{
	return (struct graph){c->n, c->succ_at, c->succ};
}
/* the source block of the edge with this index in succ; logarithmic */
uint32_t cfg_source(const struct cfg *c, uint32_t succ);
/* the block of an instruction; the blocks must be in the order of their instructions, as in every
 * valid function; logarithmic */
uint32_t cfg_block_of(const struct ir_func *f, uint32_t insn);

#endif
