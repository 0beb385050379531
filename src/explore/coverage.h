/*
 * Which lines and branches of the analysed program the explored paths have been on. Marked by edge
 * of the IR while the machine runs (exec.h: struct exec_cover, given as exec_options.cover), told by
 * line of the source (lcov's format: genhtml draws it). A block counts as a whole when it is entered,
 * so that the fast mode stays fast. Code of models is left out.
 *
 *  - a line is covered if a block with an instruction of that line was entered
 *  - a function is one of the source, inlined or not: it is covered if one of its lines was, at any
 *    of the places where it was inlined
 *  - a branch is a way out of a terminator with several; copies that the compiler made (inlining,
 *    unrolling) are branches of their own
 */
#ifndef HEDDLE_EXPLORE_COVERAGE_H
#define HEDDLE_EXPLORE_COVERAGE_H

#include "machine/exec.h"

struct coverage;

struct coverage *coverage_new(const struct ir_program *p);
void coverage_free(struct coverage *c);
/* For exec_options.cover; owned by c. One for all runs. */
struct exec_cover *coverage_marks(struct coverage *c);
/* A run begins in the middle of a function: this block is entered by no call and no edge. */
void coverage_start(struct coverage *c, uint32_t func, uint32_t block);
/* How many entries and edges were met for the first time since the last call. */
uint64_t coverage_news(struct coverage *c);
/* Whether the block was entered. Constant time for a block with one way in, else by its ways in. */
bool coverage_has(const struct coverage *c, uint32_t func, uint32_t block);

struct coverage_totals {
	uint32_t lines, lines_hit, branches, branches_hit, functions, functions_hit;
};
/* Linear in the program. */
struct coverage_totals coverage_totals(const struct coverage *c);
/* lcov's tracefile; counts are 0 and 1. -1 after an error. */
int coverage_write(const struct coverage *c, const char *path);

#endif
