/*
 * Which lines and branches of the analysed program the explored paths have been on. Counted by
 * instruction and by edge of the IR, told by line (lcov's format: genhtml draws it). Code of models is
 * left out. Blocks are counted when they are entered, so that the fast gear stays fast.
 */
#ifndef HEDDLE_EXPLORE_COVERAGE_H
#define HEDDLE_EXPLORE_COVERAGE_H

#include "base/bitset.h"
#include "ir/ir.h"

struct coverage;

struct coverage *coverage_new(const struct ir_program *p);
void coverage_free(struct coverage *c);
/* A block was entered; an edge of a block with several was taken (edge IR_NONE: by a call or a start). */
void coverage_block(struct coverage *c, uint32_t func, uint32_t block, uint32_t edge);
/* How many blocks were entered for the first time since the last call. */
uint32_t coverage_news(struct coverage *c);
bool coverage_has(const struct coverage *c, uint32_t func, uint32_t block);

struct coverage_totals {
	uint32_t lines, lines_hit, branches, branches_hit, functions, functions_hit;
};
struct coverage_totals coverage_totals(const struct coverage *c);
/* lcov's tracefile; -1 after an error. */
int coverage_write(const struct coverage *c, const char *path);

#endif
