/*
 * Floating point as terms over bit patterns of 32 and 64 bits, rounded to nearest even: what the
 * machine computes (src/machine/eval.c), bit by bit. There are no terms for x87's 80 bits, for fma,
 * whose choice among several NaNs depends on the processor, and for the remainder.
 *
 * NaN: as SSE does it. An operand that is NaN comes out, made quiet, the first one before the
 * second; a NaN out of numbers is the *indefinite* one (negative, quiet, no payload). So the kinds
 * of terms that are new (term_ops.def, from FADD on) only have to know the latter: NaN operands are
 * chosen before by their bits. Comparisons are logic on bits too: no new kind, and circuits for
 * them.
 *
 * The new kinds have no circuits; Z3 decides them.
 */
#ifndef HEDDLE_SMT_TERM_FLOAT_H
#define HEDDLE_SMT_TERM_FLOAT_H

#include "smt/term.h"

/* whether there are terms for floats of that width */
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
term_t term_fmin(struct terms *ts, term_t a, term_t b); /* C's: of two zeros the second */
term_t term_fmax(struct terms *ts, term_t a, term_t b);
term_t term_fcopysign(struct terms *ts, term_t a, term_t b);
term_t term_fsqrt(struct terms *ts, term_t a);

/* in the order of fenv's meaning: to even, away from zero on ties, down, up, to zero */
enum term_rounding { TERM_RNE, TERM_RNA, TERM_RTN, TERM_RTP, TERM_RTZ };
/* to an integral number, as a float */
term_t term_fround(struct terms *ts, term_t a, enum term_rounding mode);
/* to the other width */
term_t term_fcvt(struct terms *ts, term_t a, unsigned width);
/* to an integer of that width, towards zero; what does not fit is what x86-64 makes of it */
term_t term_fptosi(struct terms *ts, term_t a, unsigned width);
term_t term_fptoui(struct terms *ts, term_t a, unsigned width);
/* from an integer of any width */
term_t term_sitofp(struct terms *ts, term_t a, unsigned width);
term_t term_uitofp(struct terms *ts, term_t a, unsigned width);

/* one bit; ordered: false if one is NaN */
term_t term_foeq(struct terms *ts, term_t a, term_t b);
term_t term_folt(struct terms *ts, term_t a, term_t b);
term_t term_fole(struct terms *ts, term_t a, term_t b);
/* one of them is NaN */
term_t term_funo(struct terms *ts, term_t a, term_t b);

/* the value of one of the new kinds of terms */
u128 term_float_fold(enum term_op op, unsigned width, unsigned wa, unsigned low, u128 a, u128 b);
/* the indefinite NaN of a width */
u128 term_float_nan(unsigned width);
/* the pattern of 2^k; the infinity if it is out of range */
u128 term_float_power(unsigned width, unsigned k);

#endif
