/*
 * Growing bitset over uint32_t: one array of words on the heap, as long as the greatest member
 * needs. A zeroed bitset is an empty one. bitset_or() returns true if it added a member: a fixpoint
 * has been reached when it returns false.
 */
#ifndef HEDDLE_BASE_BITSET_H
#define HEDDLE_BASE_BITSET_H

#include "base/base.h"

struct bitset {
	uint64_t *w;
	uint32_t n; /* allocated words */
};

void bitset_release(struct bitset *s);
void bitset_clear(struct bitset *s);
/* true if the member was new */
bool bitset_add(struct bitset *s, uint32_t i);
void bitset_del(struct bitset *s, uint32_t i);
bool bitset_or(struct bitset *s, const struct bitset *t);
bool bitset_intersects(const struct bitset *s, const struct bitset *t);
uint32_t bitset_count(const struct bitset *s);
/* the first member at or after i, or UINT32_MAX */
uint32_t bitset_next(const struct bitset *s, uint32_t i);
static inline bool bitset_has(const struct bitset *s, uint32_t i)
{
	return i / 64 < s->n && s->w[i / 64] >> (i % 64) & 1;
}
#define bitset_each(s, i)                                                                          \
	for (uint32_t i = bitset_next(s, 0); i != UINT32_MAX; i = bitset_next(s, i + 1))

#endif
