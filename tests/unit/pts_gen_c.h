/*
 * Random C programs about pointers, for tests: every way in which an address can travel (fields,
 * arrays, lists, unions, integers, bytes, copies of memory, calls direct and through pointers,
 * variable arguments, callbacks, threads, atomics), on pointers that are valid at all times, so
 * that the programs run to their end. The same seed gives the same program.
 */
#ifndef HEDDLE_TESTS_PTS_GEN_C_H
#define HEDDLE_TESTS_PTS_GEN_C_H

#include "base/strbuf.h"

void pts_gen_c(struct strbuf *out, uint64_t seed);

#endif
