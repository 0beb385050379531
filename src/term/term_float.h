/*
 * Floating point as terms over bit patterns of 32 and 64 bits, rounded to nearest even. Results
 * agree with the machine (src/machine/eval.c) bit by bit. There are no terms for x87's 80 bits, for
 * the remainder, and for fma, whose choice among several NaN operands depends on the processor.
 *
 * NaN as in SSE: if an operand is NaN, the result is the first NaN operand, made quiet; if no
 * operand is NaN but the result is, the result is the *indefinite* NaN (negative, quiet, no
 * payload). The functions below handle NaN operands by choices (ITE) on their bits, so the
 * floating-point kinds of terms (term_ops.def, from FADD on) need only the indefinite NaN.
 * Comparisons are logic on bits; they use no floating-point kind and have circuits.
 *
 * The floating-point kinds have no circuits; Z3 decides them.
 */
#ifndef HEDDLE_TERM_TERM_FLOAT_H
#define HEDDLE_TERM_TERM_FLOAT_H

#include "term/term.h"

/* whether there are terms for floating point of that width */
static inline bool term_float_width(unsigned width)
{
	return width == 32 || width == 64;
}

static inline bool term_op_is_float(enum term_op op)
{
	return op >= TERM_FADD && op < TERM_N_OPS;
}

term_t term_fadd(struct terms *ts, term_t a, term_t b);
term_t term_fsub(struct terms *ts, term_t a, term_t b);
term_t term_fmul(struct terms *ts, term_t a, term_t b);
term_t term_fdiv(struct terms *ts, term_t a, term_t b);
term_t term_fmin(struct terms *ts, term_t a, term_t b); /* as in C; of two zeros the second */
term_t term_fmax(struct terms *ts, term_t a, term_t b);
term_t term_fcopysign(struct terms *ts, term_t a, term_t b);
term_t term_fsqrt(struct terms *ts, term_t a);

/* to nearest with ties to even, to nearest with ties away from zero, down, up, to zero */
enum term_rounding { TERM_RNE, TERM_RNA, TERM_RTN, TERM_RTP, TERM_RTZ };
/* to an integral floating-point number */
term_t term_fround(struct terms *ts, term_t a, enum term_rounding mode);
/* to the other width */
term_t term_fcvt(struct terms *ts, term_t a, unsigned width);
/* to an integer of that width, towards zero; out of range and for NaN, the result of x86-64 code */
term_t term_fptosi(struct terms *ts, term_t a, unsigned width);
term_t term_fptoui(struct terms *ts, term_t a, unsigned width);
/* from an integer of any width */
term_t term_sitofp(struct terms *ts, term_t a, unsigned width);
term_t term_uitofp(struct terms *ts, term_t a, unsigned width);

/* ordered comparisons, one bit: false if an operand is NaN */
term_t term_foeq(struct terms *ts, term_t a, term_t b);
term_t term_folt(struct terms *ts, term_t a, term_t b);
term_t term_fole(struct terms *ts, term_t a, term_t b);
/* whether an operand is NaN */
term_t term_funo(struct terms *ts, term_t a, term_t b);

/* the value of an operation of a floating-point kind */
u128 term_float_fold(enum term_op op, unsigned width, unsigned wa, unsigned low, u128 a, u128 b);
/* the indefinite NaN of a width */
u128 term_float_nan(unsigned width);
/* the bit pattern of 2^k; infinity if 2^k is out of range */
u128 term_float_power(unsigned width, unsigned k);

#endif
