/*
 * The call graph of a program (ir/callgraph.h) with its indirect calls resolved by the points-to
 * analysis. For an indirect call in code outside the program (a model), the callees are all
 * functions that code outside can reach, and all functions that a library function calls back.
 */
#ifndef HEDDLE_FACTS_CALLS_H
#define HEDDLE_FACTS_CALLS_H

#include "facts/points_to.h"
#include "ir/callgraph.h"

void calls_init(struct callgraph *g, const struct ir_program *p, const struct points_to *pt);

#endif
