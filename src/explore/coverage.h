/*
 * Coverage of lines and branches of the program by the explored paths. The machine marks edges of
 * the IR (exec.h: struct exec_cover, given as exec_options.cover); the report is by line of the
 * source, in lcov's format, which genhtml displays. A block counts as a whole when it is entered,
 * to keep the fast mode fast. Code of models is left out.
 *
 *  - a line is covered if a block with an instruction of that line was entered
 *  - a function is a function of the source, inlined or not: it is covered if one of its lines
 *    is, at any place where it was inlined
 *  - a branch is an edge of a terminator with several edges; copies that the compiler made
 *    (inlining, unrolling) are branches of their own
 */
#ifndef HEDDLE_EXPLORE_COVERAGE_H
#define HEDDLE_EXPLORE_COVERAGE_H

#include "machine/exec.h"

struct coverage;

struct coverage *coverage_new(const struct ir_program *p);
void coverage_free(struct coverage *c);
/* For exec_options.cover; owned by c, and the same for all runs. */
struct exec_cover *coverage_marks(struct coverage *c);
/* Whether the block was entered. Linear in the number of its incoming edges. */
bool coverage_has(const struct coverage *c, uint32_t func, uint32_t block);

struct coverage_totals {
	uint32_t lines, lines_hit, branches, branches_hit;
};
/* Linear in the program. */
struct coverage_totals coverage_totals(const struct coverage *c);
/* Writes a tracefile of lcov; counts are 0 and 1. -1 after error_(). */
int coverage_write(const struct coverage *c, const char *path);

#endif
