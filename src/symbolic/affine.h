/*
 * A term of 64 bits as a sum of a constant and multiples of other terms, modulo 2^64. Addresses
 * have this form: base + 4 * i + 8. A struct affine is a value: it owns nothing.
 */
#ifndef HEDDLE_SYMBOLIC_AFFINE_H
#define HEDDLE_SYMBOLIC_AFFINE_H

#include "term/term.h"

enum { AFFINE_MAX = 16 };

struct affine {
	uint64_t k; /* the constant */
	unsigned n; /* multiples in m */
	struct {
		term_t t;
		uint64_t c; /* not 0 */
	} m[AFFINE_MAX];
};

/* Splits a term. A term that is no sum, or has more than AFFINE_MAX multiples, becomes 1 * t. */
void affine_of(const struct terms *ts, term_t t, struct affine *a);
/* The distance of neighbouring values: all values are k modulo the result. 0: a is a constant. */
uint64_t affine_stride(const struct terms *ts, const struct affine *a);
/* (a - least) / stride as a term of `bits` bits. `least` is one of the values of a. The term is
 * exact for all values whose index fits into `bits`. */
term_t affine_index(struct terms *ts, const struct affine *a, uint64_t least, uint64_t stride,
	unsigned bits);

#endif
