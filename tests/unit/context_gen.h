/*
 * Random C programs with threads, for tests of what must hold at a place: globals that are set
 * before the threads start, sometimes, or later, with a lock or without; counters up and down;
 * blocks of the heap, structs handed to threads, thread-local variables; helpers that return, store
 * and lock; barriers in loops. They end in every schedule. The same seed gives the same program.
 *
 * Disciplined ones have no data races: every variable that changes while there are threads has its
 * lock. Locks nest, and are let go and taken again in the middle, in helpers too.
 */
#ifndef HEDDLE_TESTS_CONTEXT_GEN_H
#define HEDDLE_TESTS_CONTEXT_GEN_H

#include "base/strbuf.h"

void context_gen(struct strbuf *out, uint64_t seed, bool disciplined, bool signals);

#endif
