/*
 * Independence: a path condition is a conjunction, and a query depends only on those of its
 * conjuncts that share atoms with it, directly or through other conjuncts.
 *
 * *Atoms* are symbols, and bytes of array symbols at constant indices. An array symbol that is read
 * at an index that is not constant, or is written, is one atom as a whole, in one class with all
 * its bytes.
 *
 * Conjuncts are the operands of `and`, and the negated operands of a negated `or`. Atoms are in one
 * class if a chain of conjuncts connects them (union-find). The last 8 paths are kept with their
 * classes: a path that extends one of them costs time in what was added, another path about 0.1
 * microseconds for each atom.
 *
 * Lifetime: heap, slice_free(); the terms must live longer.
 */
#ifndef HEDDLE_SMT_SLICE_H
#define HEDDLE_SMT_SLICE_H

#include "base/vec.h"
#include "term/term.h"

struct slice;

struct slice *slice_new(struct terms *ts);
void slice_free(struct slice *s);

/* Appends the conjuncts of a term of one bit to *out, without constants; false if one is false. */
bool slice_split(struct terms *ts, term_t t, struct vec_u32 *out);
/* the atoms of a term: symbols, whole array symbols, reads of array symbols at a constant index */
const struct term_syms *slice_atoms(struct slice *s, term_t t);

/* Sets the current path, which the functions below are about. */
void slice_path(struct slice *s, const term_t *path, uint32_t n);
/* whether the term is a conjunct of the path */
bool slice_has(const struct slice *s, uint32_t conjunct);
/* all conjuncts of the path, in its order, without duplicates */
const struct vec_u32 *slice_all(const struct slice *s);
/* Appends to *out the conjuncts that the terms depend on, in the order of the path. */
void slice_about(struct slice *s, const uint32_t *terms, uint32_t n, struct vec_u32 *out);
/* the number of the class of conjunct i of slice_all(); valid until the path changes */
uint32_t slice_class(struct slice *s, uint32_t i);

#endif
