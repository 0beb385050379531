/*
 * Live registers at the start of each block, after the copies on the edge into it. Backward data
 * flow over bit sets to a fixpoint: O(blocks * registers / 64) for an iteration, and a few
 * iterations. Valid while the function does not change. Owner: the caller (heap).
 */
#ifndef HEDDLE_IR_LIVE_H
#define HEDDLE_IR_LIVE_H

#include "base/bitset.h"
#include "ir/ir.h"

struct live {
	struct bitset *in; /* by block */
	uint32_t nblocks;
};

void live_build(struct live *l, const struct ir_func *f);
void live_release(struct live *l);

#endif
