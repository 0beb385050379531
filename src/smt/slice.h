/*
 * Independence: a path is a conjunction, and only those of its conjuncts matter to a question that
 * share something unknown with it, directly or through one another.
 *
 * What is shared are *atoms*: symbols, and bytes of array symbols at constant indices. An array
 * that is read at an index that varies, or is written over, is one atom as a whole, and then all
 * its bytes go with it.
 *
 * The last few paths are kept with their classes of atoms; one that only grew costs as much as it
 * grew, another one about 0.1 microseconds for each atom. Conjuncts are the operands of `and`, and
 * of `or` under a negation.
 */
#ifndef HEDDLE_SMT_SLICE_H
#define HEDDLE_SMT_SLICE_H

#include "base/vec.h"
#include "smt/term.h"

struct slice;

struct slice *slice_new(struct terms *ts);
void slice_free(struct slice *s);

/* the conjuncts of a term of one bit, none of them a constant; false if one of them is false */
bool slice_split(struct terms *ts, term_t t, struct vec_u32 *out);
/* the atoms of a term: symbols, array symbols as a whole, reads of an array symbol at a constant */
const struct term_syms *slice_atoms(struct slice *s, term_t t);

/* the path that is asked about from here on */
void slice_path(struct slice *s, const term_t *path, uint32_t n);
bool slice_has(const struct slice *s, uint32_t conjunct);
/* all conjuncts of the path, in its order */
const struct vec_u32 *slice_all(const struct slice *s);
/* those that matter to the terms; appended to *out in the order of the path */
void slice_about(struct slice *s, const uint32_t *terms, uint32_t n, struct vec_u32 *out);
/* the number of the class that conjunct i of slice_all() belongs to: less than the number of atoms
 */
uint32_t slice_class(struct slice *s, uint32_t i);

#endif
