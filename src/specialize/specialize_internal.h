/*
 * Private header of the specialization.
 *
 * A function is cut into nodes: a block, or the part of one that ends at a synchronization. A node
 * that ends at a synchronization has one successor, the rest of the block.
 */
#ifndef HEDDLE_SPECIALIZE_SPECIALIZE_INTERNAL_H
#define HEDDLE_SPECIALIZE_SPECIALIZE_INTERNAL_H

#include "base/bitset.h"
#include "base/vec.h"
#include "specialize/specialize.h"

struct node {
	uint32_t block;
	uint32_t first, end; /* instructions [first, end) */
	bool sync;           /* the last one is a synchronization, not a terminator */
};

struct nodes {
	VEC(struct node) at;
	uint32_t *of_block; /* by block: its first node; the others follow */
};

/* nodes.c */
void nodes_init(
	struct nodes *n, const struct ir_func *f, uint32_t func, spec_is_sync is_sync, void *ctx);
void nodes_release(struct nodes *n);
/* The node whose synchronization is the instruction; IR_NONE if it is none. */
uint32_t nodes_of_sync(const struct nodes *n, uint32_t insn);
/* The nodes of the segment that begins at `start`: those from which `target` can be reached, or, if
 * it is IR_NONE, an end of the function (a return; `returns` false: an `unreachable`), without
 * another synchronization on the way. Empty if start is not among them. */
void nodes_segment(const struct nodes *n, const struct ir_func *f, uint32_t start, uint32_t target,
	bool returns, struct bitset *out);

/* copy.c */
struct spec_copy {               /* what a synchronization calls or starts */
	uint32_t original, func; /* functions; func IR_NONE: no copy */
};
/* The copy for a frame; to[i] belongs to syncs[i]. The error text (free it), or NULL. */
char *copy_frame(const struct ir_program *p, const struct spec_frame *fr, const struct nodes *n,
	const struct spec_copy *to, struct ir_func *out);

#endif
