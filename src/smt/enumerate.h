/*
 * Queries with few bits of input, decided by evaluation under every assignment. A division of 64
 * bits is a large circuit for a solver; over an input of 8 bits it is a table of 256 numbers.
 *
 * The *universe* of a query is the set of its atoms (slice.h) with at most ENUMERATE_BITS bits
 * together; a *lane* is one assignment of them. Each term has a table with its value in each lane.
 * The tables of the last universes are kept: the conditions of a path grow by one term at a time,
 * so most of the terms of a query have tables already. A universe with more than ENUMERATE_EASY
 * bits is used only for terms that are hard for the solver: quotients, products, floating point.
 *
 * Lifetime: heap, enumerate_free(); the terms must live longer.
 */
#ifndef HEDDLE_SMT_ENUMERATE_H
#define HEDDLE_SMT_ENUMERATE_H

#include "base/vec.h"
#include "smt/sat.h"
#include "smt/slice.h"

enum { ENUMERATE_EASY = 8, ENUMERATE_BITS = 16 };

struct enumerate;

struct enumerate *enumerate_new(struct terms *ts, struct slice *slice);
void enumerate_free(struct enumerate *e);

/* Prepares a query about the conjuncts in `set` and the term t, or TERM_NONE. False: there are too
 * many bits or too many terms, or an array has no known index. The functions below are about it. */
bool enumerate_begin(struct enumerate *e, const struct vec_u32 *set, term_t t);
/* Whether some assignment satisfies the set; sets *as to the first one. */
bool enumerate_model(struct enumerate *e, struct term_assign *as);
/* The least and the greatest value of t under the assignments that satisfy the set; false: none
 * does. */
bool enumerate_range(struct enumerate *e, u128 *least, u128 *most);

#endif
