/*
 * Static distances, for the shortest path first (paper 000, 3.2): how many instructions a branch is
 * away from an exit, that is, from a return of its function or from the end of the innermost loop around
 * it. Calls count as one instruction. Computed once for each function. Lifetime: heap, distances_free().
 */
#ifndef HEDDLE_COVER_DISTANCE_H
#define HEDDLE_COVER_DISTANCE_H

#include "ir/ir.h"

struct distances;

struct distances *distances_new(const struct ir_program *p);
void distances_free(struct distances *d);
/* The distance from the edge of a branch in the block to an exit; UINT32_MAX: none is reachable. */
uint32_t distance_of(struct distances *d, uint32_t func, uint32_t block, uint32_t edge);

#endif
