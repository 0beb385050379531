/*
 * A term of 64 bits as a sum: a constant and multiples of other terms, modulo 2^64. What an address
 * looks like: base + 4 * i + 8.
 */
#ifndef HEDDLE_SYMBOLIC_AFFINE_H
#define HEDDLE_SYMBOLIC_AFFINE_H

#include "smt/term.h"

enum { AFFINE_MAX = 16 };

struct affine {
	uint64_t k;
	unsigned n;
	struct {
		term_t t;
		uint64_t c; /* not 0 */
	} m[AFFINE_MAX];
};

/* A term that is no sum, or too long a one, is a single multiple of itself. */
void affine_of(const struct terms *ts, term_t t, struct affine *a);
/* How far apart its values lie: all of them are k modulo the result. 0: it is a constant. */
uint64_t affine_stride(const struct terms *ts, const struct affine *a);
/* Which multiple of the stride its value lies above `least`, which is one of its values: a term of
 * that many bits, right for values so near that the number fits. */
term_t affine_index(struct terms *ts, const struct affine *a, uint64_t least, uint64_t stride,
	unsigned bits);

#endif
