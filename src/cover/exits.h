/*
 * Blocks from which the process ends before any further synchronization: a failed assertion, exit()
 * after an error message. A run that takes such a block follows a *prefix* of the schedule of a run
 * that does not, and then stops (paper 000, 4.1.1), so a branch to it needs no schedule of its own.
 *
 * A block is such a block if every path from it executes a call that ends the process, directly or in a
 * function whose every path does, and no instruction before it may synchronize. Handlers of
 * atexit() that synchronize make exit() an ordinary call.
 *
 * Lifetime: heap, exits_free(); the synchronization operations must live longer.
 */
#ifndef HEDDLE_COVER_EXITS_H
#define HEDDLE_COVER_EXITS_H

#include "cover/sync_ops.h"

struct exits;

struct exits *exits_new(const struct sync_ops *so);
void exits_free(struct exits *x);
bool exits_block(const struct exits *x, uint32_t func, uint32_t block);

#endif
