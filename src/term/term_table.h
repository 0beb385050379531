/*
 * The table of terms, for the files of this room and smt/enumerate.c, which evaluates a term for
 * thousands of inputs. tt_make() returns the existing term with that
 * operation and those operands, or adds it; it does not simplify.
 */
#ifndef HEDDLE_TERM_TERM_TABLE_H
#define HEDDLE_TERM_TERM_TABLE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "term/term.h"

struct term_node {
	uint8_t op, width;
	/* EXTRACT: the lowest bit; ADD: 1 if the sum is too long to be linear (term_arith.c);
	 * FROUND: the mode */
	uint8_t low;
	uint8_t unused;
	/* ids of operands; CONST: bits 0-31, bits 32-63, index of bits 64-127 in `high`;
	 * SYM: its number */
	uint32_t arg[3];
};

struct terms {
	VEC(struct term_node) node; /* by id */
	VEC(uint64_t) high;         /* distinct upper halves of constants; [0] is 0 */
	struct map high_at;         /* upper half -> index in high */
	struct {                    /* hash table, open addressing */
		uint32_t *slot;     /* ids; 0 = free */
		uint32_t cap;       /* a power of two */
	} table;
	struct intern names;
	struct vec_u32 sym;      /* id by number */
	struct vec_u32 sym_name; /* by number: the name, in names */
	struct map sym_by_name;  /* name -> id */
	struct arena arena;      /* of the sets in syms */
	struct map syms;         /* id -> struct term_syms *, for term_syms() */
	unsigned depth;          /* of the recursion of rewriting rules */
};

/* from this depth on, a rewriting rule does not apply: bounds the stack on long chains of terms */
#define TT_MAX_DEPTH 16

term_t tt_make(struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a, term_t b,
	term_t c);

static inline const struct term_node *tt_node(const struct terms *ts, term_t t)
{
	return &ts->node.at[t.id];
}

/* Whether b is a power of two or 0 by its form, 2^c << k; *log is the exponent, of b's width, which
 * matters only if b is not 0 (term_power.c). */
bool tt_is_power(struct terms *ts, term_t b, term_t *log);

static inline bool tt_is(const struct terms *ts, term_t t, enum term_op op)
{
	return ts->node.at[t.id].op == op;
}

static inline unsigned tt_width(const struct terms *ts, term_t t)
{
	return ts->node.at[t.id].width;
}

static inline term_t tt_arg(const struct terms *ts, term_t t, unsigned i)
{
	return (term_t){ts->node.at[t.id].arg[i]};
}

static inline unsigned tt_arity(enum term_op op)
{
	static const uint8_t arity[] = {
#define TERM_OP(id, name, arity) arity,
#include "term/term_ops.def"
#undef TERM_OP
	};

	return arity[op];
}

/* The rules that every operation tries first: fold constants; and if one operand is a choice
 * between constants and the other (if any) is constant, fold both arms of the choice. `width` is
 * the width of the result. TERM_NONE if neither rule applies. */
term_t tt_fold2(struct terms *ts, enum term_op op, unsigned width, term_t a, term_t b);
term_t tt_fold1(struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a);
/* a new symbol; width 0: an array */
term_t tt_sym(struct terms *ts, const char *name, unsigned width);
term_t tt_fresh(struct terms *ts, const char *name, unsigned width);
/* a term of a floating-point kind, folded if possible */
term_t tt_float(
	struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a, term_t b);
/* t == x for a constant x, simplified by the operation of t */
term_t tt_eq_const(struct terms *ts, term_t t, u128 x);
static inline void tt_order(term_t *a, term_t *b)
{
	if (a->id > b->id) {
		term_t t = *a;

		*a = *b;
		*b = t;
	}
}

#endif
