/*
 * Terms over bit-vectors of 1 to 128 bits: hash-consed, simplified when they are made.
 *
 * A term is a 32-bit id into a table; 0 is "no term". Two terms with the same id are the same
 * function of their symbols. The operands of a term have smaller ids than the term, so terms can be
 * evaluated in the order of their ids. A boolean is a term of one bit. Lifetime: the table belongs
 * to its owner (usually for the *phase* of one trace), terms_free(); single terms are never freed.
 * A term takes about 24 bytes.
 *
 * The meaning of an operation is that of SMT-LIB's FixedSizeBitVectors, which agrees with
 * docs/ir.md wherever docs/ir.md defines a value: arithmetic wraps, a shift by the width or more
 * gives 0 (ashr: the sign in every bit). SMT-LIB also has values where the machine faults:
 * x udiv 0 = all ones, x urem 0 = x srem 0 = x, x sdiv 0 = -1 for x >= 0 and else 1,
 * least sdiv -1 = least, least srem -1 = 0. Code that builds a division must assert separately that
 * it does not fault.
 *
 * Arrays: a term of width 0 is an array of bytes with an element for every 64-bit index (SMT-LIB's
 * theory of arrays). Floating point (term_float.h): the operands and results are bit patterns of 32
 * and 64 bits, the operation is IEEE's, and evaluation and execution agree bit by bit.
 *
 * Each function below may return any term that has the same value under every assignment: constants
 * are folded, sums are kept as a constant plus up to 16 monomials sorted by term, comparisons and
 * choices (ITE) with constants are decided or simplified, commutative operands are ordered. Making
 * a term takes constant time, apart from growth of the table and the simplification above.
 */
#ifndef HEDDLE_TERM_TERM_H
#define HEDDLE_TERM_TERM_H

#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"

typedef unsigned __int128 u128;

typedef struct {
	uint32_t id;
} term_t;

#define TERM_NONE        ((term_t){0})
#define TERM_MAX_WIDTH   128
#define TERM_INDEX_WIDTH 64 /* bits of an index of an array */

enum term_op {
#define TERM_OP(id, name, arity) TERM_##id,
#include "term/term_ops.def"
#undef TERM_OP
	TERM_N_OPS
};

struct terms;

struct terms *terms_new(void);
void terms_free(struct terms *ts);
/* the greatest id plus 1 */
uint32_t terms_count(const struct terms *ts);

/* -- looking at a term -- */

enum term_op term_op(const struct terms *ts, term_t t);
unsigned term_width(const struct terms *ts, term_t t);
/* operand i, or TERM_NONE */
term_t term_arg(const struct terms *ts, term_t t, unsigned i);
/* the lowest bit of an EXTRACT, the mode of a FROUND */
unsigned term_low(const struct terms *ts, term_t t);
/* whether t is a constant; sets *value then */
bool term_is_const(const struct terms *ts, term_t t, u128 *value);
static inline bool term_same(term_t a, term_t b)
{
	return a.id == b.id;
}

/* -- symbols -- */

/* The symbol of that name, made by the first call. All calls with one name must have one width. */
term_t term_sym(struct terms *ts, const char *name, unsigned width);
/* a new symbol with an unused name such as NAME!7 */
term_t term_fresh(struct terms *ts, const char *name, unsigned width);
const char *term_name(const struct terms *ts, term_t sym);
/* symbols are numbered from 0, in the order in which they were made */
uint32_t terms_n_syms(const struct terms *ts);
term_t terms_sym_at(const struct terms *ts, uint32_t number);
uint32_t term_sym_number(const struct terms *ts, term_t sym);

/* -- making terms; operands have the width of the result unless stated otherwise -- */

term_t term_const(struct terms *ts, unsigned width, u128 value); /* value modulo 2^width */
term_t term_bool(struct terms *ts, bool value);

term_t term_not(struct terms *ts, term_t a);
term_t term_and(struct terms *ts, term_t a, term_t b);
term_t term_or(struct terms *ts, term_t a, term_t b);
term_t term_xor(struct terms *ts, term_t a, term_t b);
term_t term_implies(struct terms *ts, term_t a, term_t b);
term_t term_neg(struct terms *ts, term_t a);
term_t term_add(struct terms *ts, term_t a, term_t b);
term_t term_sub(struct terms *ts, term_t a, term_t b);
term_t term_mul(struct terms *ts, term_t a, term_t b);
term_t term_udiv(struct terms *ts, term_t a, term_t b);
term_t term_urem(struct terms *ts, term_t a, term_t b);
term_t term_sdiv(struct terms *ts, term_t a, term_t b);
term_t term_srem(struct terms *ts, term_t a, term_t b);
term_t term_shl(struct terms *ts, term_t a, term_t b);
term_t term_lshr(struct terms *ts, term_t a, term_t b);
term_t term_ashr(struct terms *ts, term_t a, term_t b);

/* Quotients and remainders by b, which is 2^log or 0, without a division (term_power.c). Signed, b
 * may be the least number; log matters only if b is not 0. */
term_t term_udiv_power(struct terms *ts, term_t a, term_t b, term_t log);
term_t term_urem_power(struct terms *ts, term_t a, term_t b);
term_t term_sdiv_power(struct terms *ts, term_t a, term_t b, term_t log);
term_t term_srem_power(struct terms *ts, term_t a, term_t b);
/* The signed quotient by the sign extension of `low`, which is 2^log or 0, of fewer bits. */
term_t term_sdiv_wide_power(struct terms *ts, term_t a, term_t low, term_t log);

/* comparisons: one bit */
term_t term_eq(struct terms *ts, term_t a, term_t b);
term_t term_ne(struct terms *ts, term_t a, term_t b);
term_t term_ult(struct terms *ts, term_t a, term_t b);
term_t term_ule(struct terms *ts, term_t a, term_t b);
term_t term_slt(struct terms *ts, term_t a, term_t b);
term_t term_sle(struct terms *ts, term_t a, term_t b);

/* a if c (one bit) is 1, else b */
term_t term_ite(struct terms *ts, term_t c, term_t a, term_t b);
/* to `width` bits; the same width gives a itself */
term_t term_zext(struct terms *ts, term_t a, unsigned width);
term_t term_sext(struct terms *ts, term_t a, unsigned width);
term_t term_trunc(struct terms *ts, term_t a, unsigned width);
/* bits low .. low + width - 1 of a */
term_t term_extract(struct terms *ts, term_t a, unsigned low, unsigned width);
/* high:low; the widths add up to 128 at most */
term_t term_concat(struct terms *ts, term_t high, term_t low);

/* -- arrays of bytes (term_array.c) -- */

/* the array symbol of that name, made by the first call; no other symbol has the name */
term_t term_sym_array(struct terms *ts, const char *name);
/* a new array symbol with an unused name; an array of equal bytes */
term_t term_fresh_array(struct terms *ts, const char *name);
term_t term_array_of(struct terms *ts, term_t byte);
bool term_is_array(const struct terms *ts, term_t t); /* width 0 */
/* the byte at an index of 64 bits; skips writes whose index is apart from this one */
term_t term_read(struct terms *ts, term_t array, term_t index);
/* the array with one byte replaced */
term_t term_write(struct terms *ts, term_t array, term_t index, term_t byte);
/* Whether two indices differ under every assignment; recognizes constants and equal bases with
 * different constant offsets, else false. */
bool term_apart(const struct terms *ts, term_t i, term_t j);
/* bytes index .. index + n - 1 as one term, little-endian; n <= 16 */
term_t term_read_n(struct terms *ts, term_t array, term_t index, unsigned n);
term_t term_write_n(struct terms *ts, term_t array, term_t index, term_t value);
/* at[index] of n terms of one width, index of any width: a tree of choices on the bits of the
 * index, with equal subtrees merged; an index of n or more gives at[n - 1] */
term_t term_choose(struct terms *ts, const term_t *at, uint32_t n, term_t index);

/* The other integer operations of src/ir/ops.def, built from those above (term_more.c). */
term_t term_umin(struct terms *ts, term_t a, term_t b);
term_t term_umax(struct terms *ts, term_t a, term_t b);
term_t term_smin(struct terms *ts, term_t a, term_t b);
term_t term_smax(struct terms *ts, term_t a, term_t b);
term_t term_uaddsat(struct terms *ts, term_t a, term_t b);
term_t term_saddsat(struct terms *ts, term_t a, term_t b);
term_t term_usubsat(struct terms *ts, term_t a, term_t b);
term_t term_ssubsat(struct terms *ts, term_t a, term_t b);
term_t term_abs(struct terms *ts, term_t a);
term_t term_ctpop(struct terms *ts, term_t a);
term_t term_ctlz(struct terms *ts, term_t a);
term_t term_cttz(struct terms *ts, term_t a);
term_t term_bswap(struct terms *ts, term_t a); /* a multiple of 8 bits */
term_t term_bitrev(struct terms *ts, term_t a);
term_t term_fshl(struct terms *ts, term_t a, term_t b, term_t c);
term_t term_fshr(struct terms *ts, term_t a, term_t b, term_t c);
/* overflow, one bit: whether the exact result of the operation differs from the wrapped one */
term_t term_uaddo(struct terms *ts, term_t a, term_t b);
term_t term_saddo(struct terms *ts, term_t a, term_t b);
term_t term_usubo(struct terms *ts, term_t a, term_t b);
term_t term_ssubo(struct terms *ts, term_t a, term_t b);
term_t term_umulo(struct terms *ts, term_t a, term_t b);
term_t term_smulo(struct terms *ts, term_t a, term_t b);

/* -- walking (term_walk.c) -- */

/* Appends the roots and all terms below them to *out, each once, in rising order of ids. */
void term_reach(const struct terms *ts, const term_t *roots, uint32_t n, struct vec_u32 *out);
/* The symbols of t in rising order of ids; cached, so a second call takes constant time. Lives as
 * long as the table. */
struct term_syms {
	uint32_t n;
	term_t at[];
};
const struct term_syms *term_syms(struct terms *ts, term_t t);

/*
 * Substitution of terms by terms of the same width, applied from the leaves up; the result is
 * simplified while it is built. Results are kept between calls with one struct term_subst.
 */
struct term_subst {
	struct terms *ts;
	struct map to; /* id -> id: the pairs of term_subst_put(), and results */
};
void term_subst_init(struct term_subst *s, struct terms *ts);
void term_subst_release(struct term_subst *s);
/* Adds a pair; only before the first term_subst(). */
void term_subst_put(struct term_subst *s, term_t from, term_t to);
term_t term_subst(struct term_subst *s, term_t t);

/*
 * An assignment of values to symbols, and the values of terms under it. A symbol that was not set
 * is 0, and so is each byte of an array. Computed values are kept until a symbol is set. The
 * evaluation of a read takes time linear in the number of writes to its array.
 */
struct term_assign {
	const struct terms *ts;
	struct map sym; /* id -> index in vals */
	VEC(u128) vals;
	struct map array; /* id -> index in arrays */
	VEC(struct term_cells {
		struct map at; /* index -> byte */
		uint8_t rest;  /* the byte at all other indices */
	})
	arrays;
	VEC(u128) memo;       /* by term: its value, if stamp is epoch */
	struct vec_u32 stamp; /* by term: the epoch of memo */
	uint32_t epoch;       /* incremented when a symbol is set */
};
void term_assign_init(struct term_assign *as, const struct terms *ts);
void term_assign_release(struct term_assign *as);
void term_assign_clear(struct term_assign *as);
void term_assign_set(struct term_assign *as, term_t sym, u128 value);
/* Of an array symbol: set the byte at an index; set all bytes that have no value of their own; set
 * the bytes and the rest that *cells has. */
void term_assign_cell(struct term_assign *as, term_t array, uint64_t index, uint8_t byte);
void term_assign_rest(struct term_assign *as, term_t array, uint8_t byte);
void term_assign_cells(struct term_assign *as, term_t array, const struct term_cells *cells);
/* the value of a term that is not an array */
u128 term_value(struct term_assign *as, term_t t);
/* the byte at an index of any array term */
FOR_TESTS uint8_t term_value_at(struct term_assign *as, term_t array, uint64_t index);

/* The value of one operation on the values a, b, c: `width` is the width of the result, wa and wb
 * are the widths of the first two operands, low is that of term_low(). */
u128 term_fold(enum term_op op, unsigned width, unsigned wa, unsigned wb, unsigned low, u128 a,
	u128 b, u128 c);

/* -- printing (term_print.c) -- */

/*
 * Prints a term as an SMT-LIB expression; shared and deep parts are bound by `let`. A term of one
 * bit is a Bool, also if it is a symbol.
 */
void term_print(struct strbuf *sb, const struct terms *ts, term_t t);
/* "(declare-const |x| (_ BitVec 32))" and a newline */
void term_print_decl(struct strbuf *sb, const struct terms *ts, term_t sym);

static inline u128 term_mask(unsigned width)
{
	return width == 128 ? ~(u128)0 : ((u128)1 << width) - 1;
}

#endif
