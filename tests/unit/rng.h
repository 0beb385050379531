/* Small seedable random numbers for tests (xorshift64*). Every seed gives a stream of its own. */
#ifndef HEDDLE_TESTS_RNG_H
#define HEDDLE_TESTS_RNG_H

#include "base/hash.h"
#include "base/map.h"

struct rng {
	uint64_t s;
};

static inline struct rng rng_seed(uint64_t seed)
{
	return (struct rng){hash_u64(seed + 1) | 1};
}

static inline uint64_t rng_u64(struct rng *r)
{
	r->s ^= r->s >> 12;
	r->s ^= r->s << 25;
	r->s ^= r->s >> 27;
	return r->s * 0x2545f4914f6cdd1du;
}

/* of any magnitude */
static inline uint64_t rng_wide(struct rng *r)
{
	uint64_t v = rng_u64(r);

	return v >> (rng_u64(r) & 63);
}

/* 0 .. n-1 */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)((rng_u64(r) >> 32) * n >> 32);
}

static inline bool rng_chance(struct rng *r, uint32_t percent)
{
	return rng_below(r, 100) < percent;
}

#endif
