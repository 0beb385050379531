/*
 * Sparse set over uint32_t: sorted blocks of 32 members each, the first block inside the struct, so
 * that the many sets of one or two neighbours that a fixpoint makes need no memory of their own.
 * A zeroed set is an empty one. sparse_has takes logarithmic time in the number of blocks, and so
 * does sparse_add unless it inserts a block before others; everything else is linear.
 */
#ifndef HEDDLE_BASE_SPARSE_H
#define HEDDLE_BASE_SPARSE_H

#include "base/base.h"

struct sparse_block {
	uint32_t key, bits; /* members key * 32 + i for each bit i; bits is never 0 */
};

struct sparse {
	uint32_t n, cap; /* blocks; cap 0: the only block, if any, is `one` */
	union {
		struct sparse_block one;
		struct sparse_block *at;
	};
};

void sparse_release(struct sparse *s);
static inline const struct sparse_block *sparse_blocks(const struct sparse *s)
{
	return s->cap ? s->at : &s->one;
}
static inline bool sparse_empty(const struct sparse *s)
{
	return !s->n;
}
bool sparse_has(const struct sparse *s, uint32_t i);
/* true if the member was new */
bool sparse_add(struct sparse *s, uint32_t i);
/* s = s ∪ t; true if anything was added */
bool sparse_or(struct sparse *s, const struct sparse *t);
/* s = s ∪ (t \ less); true if anything was added */
bool sparse_or_diff(struct sparse *s, const struct sparse *t, const struct sparse *less);
/* s = s ∩ t */
void sparse_and(struct sparse *s, const struct sparse *t);

/* Iterates over the members in rising order. The set must not change during the iteration.
 *	struct sparse_iter it = {0};
 *	for (uint32_t i; sparse_next(s, &it, &i);) … */
struct sparse_iter {
	uint32_t block, bits;
};
static inline bool sparse_next(const struct sparse *s, struct sparse_iter *it, uint32_t *i)
{
	const struct sparse_block *b = sparse_blocks(s);

	if (!it->bits) {
		if (it->block >= s->n)
			return false;
		it->bits = b[it->block++].bits;
	}
	*i = b[it->block - 1].key * 32 + (uint32_t)__builtin_ctz(it->bits);
	it->bits &= it->bits - 1;
	return true;
}

#endif
