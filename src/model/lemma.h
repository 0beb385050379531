/*
 * What values a read can have at all, from the shape of the writes to its cell (ENCODING.md, lemmas),
 * and queries that this refutes. Each rule has its side conditions, which are checked over the whole
 * trace: an answer of a lemma does not depend on a window.
 *
 *  - hull         every write puts a constant: the constants, and the initial value
 *  - ranges       every write puts what it read there plus a constant: initial value plus some of the
 *                 constants, each at most once, because reads-from has no cycles
 *  - telescoping  moreover no two updates overlap (each is one atomic event, or all lie in regions of
 *                 one exclusive lock, read and write in the same one): then the constants of updates
 *                 that are surely before the read are all in
 *
 * Lives on the heap of its owner; facts and clocks must live longer.
 */
#ifndef HEDDLE_MODEL_LEMMA_H
#define HEDDLE_MODEL_LEMMA_H

#include "model/model.h"
#include "model/model_facts.h"

struct lemmas;

struct lemmas *lemmas_new(struct facts *f, const struct mhb *mhb);
void lemmas_free(struct lemmas *l);

enum { LEMMA_VALUES = 64 }; /* more are not worth trying */
struct lemma_values {
	uint32_t n;
	u128 at[LEMMA_VALUES];
};
/* All values that the read of an access can give, or more; false: too many, or nothing is known. */
bool lemma_values(struct lemmas *l, uint32_t access, struct lemma_values *out);
/* A term of one bit is 1 under none of the values that its reads can have. */
bool lemma_never_holds(struct lemmas *l, term_t t);
/* No linearization satisfies the query, because of a condition in it. */
bool lemma_refutes(struct lemmas *l, const struct query *q);

#endif
