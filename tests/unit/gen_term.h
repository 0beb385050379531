/*
 * Random terms with their values, computed beside them by arithmetic that is slow and plain: one
 * bit after the other, in more bits than any operation needs. The generator grows a pool; each
 * entry is a term, made of earlier entries by a random operation, with its value under each of
 * GEN_VALUES assignments of the symbols, which are the first entries.
 */
#ifndef HEDDLE_TESTS_GEN_TERM_H
#define HEDDLE_TESTS_GEN_TERM_H

#include "base/vec.h"
#include "term/term.h"
#include "rng.h"

enum { GEN_VALUES = 6, GEN_SYMS = 5 };

struct gen_entry {
	term_t t;
	unsigned width;
	const char *op; /* for messages */
	u128 v[GEN_VALUES];
};

struct gen_term {
	struct terms *ts;
	struct rng rng;
	unsigned max_width;
	bool cheap; /* no products and quotients of wide operands */
	VEC(struct gen_entry) pool;
};

void gen_term_init(struct gen_term *g, struct terms *ts, uint64_t seed, unsigned max_width);
void gen_term_release(struct gen_term *g);
/* one more entry; its place in the pool */
uint32_t gen_term_step(struct gen_term *g);
/* assignment number k */
void gen_term_assign(const struct gen_term *g, unsigned k, struct term_assign *as);
u128 gen_value(struct rng *r, unsigned width);

#endif
