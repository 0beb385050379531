/*
 * Sets of byte offsets into one object, for the points-to analysis: a field, all elements of an
 * array, a field of all elements, or any byte.
 *
 *	{ at + i * step + j * every : 0 <= i < count, j any integer (0 if every is 0) }
 *
 * The form is canonical, so equal fields mean equal sets and a set can be a hash key:
 *  - count is at least 1; step is 0 if and only if count is 1
 *  - if every is not 0, at lies in [0, every) and count * step is less than every
 *  - OFFS_ANY (every = 1) is the set of all integers
 * Each operation gives a superset of the exact result, and the exact result for single offsets. A
 * set with numbers that do not fit into 31 bits becomes OFFS_ANY.
 */
#ifndef HEDDLE_FACTS_OFFSETS_H
#define HEDDLE_FACTS_OFFSETS_H

#include "base/base.h"

struct offs {
	int32_t at;
	uint32_t step, count, every;
};

#define OFFS_ANY  ((struct offs){.count = 1, .every = 1})
#define OFFS_ZERO ((struct offs){.count = 1})
/* upper limit for offs_clip(): no limit */
#define OFFS_MAX INT32_MAX

static inline bool offs_is_any(struct offs p)
{
	return p.every == 1;
}
static inline bool offs_is_exact(struct offs p)
{
	return p.count == 1 && !p.every;
}
static inline bool offs_eq(struct offs p, struct offs q)
{
	return p.at == q.at && p.step == q.step && p.count == q.count && p.every == q.every;
}

/* the set of one offset */
struct offs offs_exact(int64_t at);
/* c is added to every offset */
struct offs offs_shift(struct offs p, int64_t c);
/* p + i * stride for 0 <= i < bound, or for any i if bound is 0 */
struct offs offs_index(struct offs p, int64_t stride, uint32_t bound);
/* { a + b }, { a - b } for a in p, b in q */
struct offs offs_sum(struct offs p, struct offs q);
struct offs offs_difference(struct offs p, struct offs q);
/* the offsets with lo <= offset < hi; false if there are none. If hi is OFFS_MAX, a periodic set is
 * not changed. */
bool offs_clip(struct offs p, int32_t lo, int32_t hi, struct offs *out);
/* the offsets rounded down to a multiple of the power of two, or with the bits of c set, in an
 * object whose address is a multiple of `align`; OFFS_ANY if the low bits are unknown */
struct offs offs_round(struct offs p, uint64_t power, uint32_t align);
struct offs offs_tag(struct offs p, uint64_t c, uint32_t align);

bool offs_contains(struct offs p, int64_t offset);
/* does [a, a + wa) overlap [b, b + wb) for some a in p, b in q? Widths are at least 1. */
bool offs_overlap(struct offs p, uint32_t wa, struct offs q, uint32_t wb);

#endif
