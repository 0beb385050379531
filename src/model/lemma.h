/*
 * Lemmas: all values that a read can have, from the form of the writes to its cell
 * (docs/prediction.md), and the queries that they refute. The side conditions of each rule are
 * checked over the whole trace, so an answer does not depend on a window.
 *
 *  - hull         every write writes a constant: the constants, and the initial value
 *  - ranges       every write writes the value that its thread read from the cell plus a constant:
 *                 the initial value plus some of the constants, each at most once, because
 *                 reads-from has no cycles
 *  - telescoping  as ranges, and no two updates overlap (each is one atomic event, or read and
 *                 write of each lie in one critical section of the same exclusive lock): the sum
 *                 contains the constants of all updates that must happen before the read
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

/* No linearization satisfies the query: a clause consists of HOLDS atoms that never hold. */
bool lemma_refutes(struct lemmas *l, const struct query *q);

#endif
