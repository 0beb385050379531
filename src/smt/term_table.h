/*
 * Inside the term files only: the table of terms. tt_make() is the one place where a term comes
 * into being; it finds the one that is there or adds it, and simplifies nothing.
 */
#ifndef HEDDLE_SMT_TERM_TABLE_H
#define HEDDLE_SMT_TERM_TABLE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "smt/term.h"

struct term_node {
	uint8_t op, width;
	/* EXTRACT: the lowest bit; ADD: 1 if the sum is too long to take apart; FROUND: the mode */
	uint8_t low;
	uint8_t unused;
	uint32_t arg[3]; /* CONST: low 64 bits, then the place of the high ones; SYM: its number */
};

struct terms {
	VEC(struct term_node) node; /* by id */
	VEC(uint64_t) high;         /* distinct upper halves of constants; [0] is 0 */
	struct map high_at;
	struct {
		uint32_t *slot; /* ids; 0 = free */
		uint32_t cap;   /* a power of two */
	} table;
	struct intern names;
	struct vec_u32 sym;      /* id by number */
	struct vec_u32 sym_name; /* by number */
	struct map sym_by_name;  /* name -> id */
	struct arena arena;
	struct map syms; /* id -> struct term_syms * */
	unsigned depth;  /* of rewriting that recurses through choices */
};

/* past this depth a rewriting rule gives up, so that long chains cost no stack */
#define TT_MAX_DEPTH 16

term_t tt_make(struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a, term_t b,
	term_t c);

static inline const struct term_node *tt_node(const struct terms *ts, term_t t)
{
	return &ts->node.at[t.id];
}

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
#include "smt/term_ops.def"
#undef TERM_OP
	};

	return arity[op];
}

/* two operands of one width, of a result of `width` bits: what every such operation tries first:
 * folding, and going into a choice between constants. TERM_NONE if neither applies. */
term_t tt_fold2(struct terms *ts, enum term_op op, unsigned width, term_t a, term_t b);
term_t tt_fold1(struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a);
/* the symbol of that name; a new one; of width 0: an array */
term_t tt_sym(struct terms *ts, const char *name, unsigned width);
term_t tt_fresh(struct terms *ts, const char *name, unsigned width);
/* one of the kinds from FADD on: folded, else made */
term_t tt_float(
	struct terms *ts, enum term_op op, unsigned width, unsigned low, term_t a, term_t b);
/* same(a, ~b) */
bool tt_complement(const struct terms *ts, term_t a, term_t b);
/* t = x for a constant x: from the shape of t alone */
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
