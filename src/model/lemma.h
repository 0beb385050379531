/*
 * Lemmas: all values that a read can have, from the form of the writes to its cell
 * (docs/prediction.md), and the queries that they refute. The side conditions of each rule are
 * checked over the whole trace, so an answer does not depend on a window.
 *
 *  - hull         every write writes a constant: the constants, and the initial value
 *  - ranges       every write writes the value that its thread read from the cell plus a constant:
 * the initial value plus some of the constants, each at most once, because reads-from has no cycles
 *  - telescoping  as ranges, and no two updates overlap (each is one atomic event, or read and
 * write of each lie in one critical section of the same exclusive lock): the sum contains the
 *                 constants of all updates that must happen before the read
 *
 * Lifetime: heap, lemmas_free(); facts and clocks must live longer.
 */
#ifndef HEDDLE_MODEL_LEMMA_H
#define HEDDLE_MODEL_LEMMA_H

#include "model/model.h"
#include "model/model_facts.h"

struct lemmas;

struct lemmas *lemmas_new(struct facts *f, const struct mhb *mhb);
void lemmas_free(struct lemmas *l);

enum { LEMMA_VALUES = 64 }; /* a read with more values is not analysed */
struct lemma_values {
	uint32_t n;
	u128 at[LEMMA_VALUES];
};
/* A superset of the values that the access can read; false: too many, or not known. */
bool lemma_values(struct lemmas *l, uint32_t access, struct lemma_values *out);
/* A term of one bit is 0 for all values that its reads can have. */
bool lemma_never_holds(struct lemmas *l, term_t t);
/* No linearization satisfies the query: a clause consists of HOLDS atoms that never hold. */
bool lemma_refutes(struct lemmas *l, const struct query *q);

#endif
