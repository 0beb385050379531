/*
 * The semantics of the operations on registers, at every width up to 128 bits, for all modes of
 * execution (described in docs/ir.md). Values are zero-extended: bits past the type are 0. A long
 * double has its significand in lo, its sign and exponent in hi.
 */
#ifndef HEDDLE_MACHINE_EVAL_H
#define HEDDLE_MACHINE_EVAL_H

#include "ir/ir.h"

struct val {
	uint64_t lo, hi;
};

enum eval_status {
	EVAL_OK,
	EVAL_DIV_ZERO,
	EVAL_DIV_OVERFLOW, /* INT_MIN / -1 */
	EVAL_UNSUPPORTED,  /* arithmetic on half or quad floats */
};

typedef unsigned __int128 u128;
typedef __int128 s128;

static inline u128 val_u128(struct val v)
{
	return (u128)v.hi << 64 | v.lo;
}
static inline struct val val_of(u128 x)
{
	return (struct val){(uint64_t)x, (uint64_t)(x >> 64)};
}
static inline u128 bits_mask(uint32_t bits)
{
	return bits >= 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}
static inline s128 bits_signed(u128 x, uint32_t bits)
{
	return bits >= 128 ? (s128)x : (s128)(x << (128 - bits)) >> (128 - bits);
}

/* Evaluates an operation of shape BIN, CMP, UN, TERN, CONV, SELECT or OVF on the operands a[0..2]
 * of the shape. OVF gives its flag in out[1]. */
enum eval_status eval_op(const struct ir_insn *in, const struct val *a, struct val *out);
/* The new memory value of an RMW operation. */
enum eval_status eval_rmw(const struct ir_insn *in, struct val old, struct val arg,
	struct val *out);

#endif
