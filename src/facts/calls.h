/*
 * The call graph of a program (ir/callgraph.h) with its indirect calls resolved by the points-to
 * analysis. Code outside the program (models included) may call what it was given: an indirect call
 * in a model reaches every function that a library function was told to call.
 */
#ifndef HEDDLE_FACTS_CALLS_H
#define HEDDLE_FACTS_CALLS_H

#include "facts/points_to.h"
#include "ir/callgraph.h"

void calls_init(struct callgraph *g, const struct ir_program *p, const struct points_to *pt);

#endif
