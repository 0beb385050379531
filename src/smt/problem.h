/*
 * A query as data: clauses over literals, definitions of literals by terms, an order whose edges
 * depend on literals, and assumptions. solve.h builds it; it is the input of Z3, and every model is
 * checked against it.
 *
 * Lifetime: heap, problem_release(); the terms and the order must live longer.
 */
#ifndef HEDDLE_SMT_PROBLEM_H
#define HEDDLE_SMT_PROBLEM_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/order.h"
#include "term/term.h"

struct problem {
	struct terms *ts;
	const struct order *order; /* NULL: there are no nodes */
	uint32_t n_vars;        /* the greatest variable in use */
	struct vec_u32 clauses; /* size, literals, size, literals, ... */
	VEC(struct problem_def {
		lit_t lit;
		term_t term;  /* of one bit: lit is true if and only if the term is 1 */
		bool only_if; /* weaker: if lit is true, the term is 1 */
	})
	defs;
};

/* What holds in one query: literals are true, terms of one bit (by id) are 1. */
struct problem_assume {
	const lit_t *lits;
	uint32_t n;
	const uint32_t *terms;
	uint32_t n_terms;
};

struct problem_model {
	VEC(int8_t) val;           /* by variable: 1 true, -1 false */
	struct vec_u32 pos;        /* by node: its position in a total order, from 0 */
	struct term_assign values; /* of the symbols of the terms */
	bool has_values;           /* false: `values` is not set, and the terms are not checked */
};

void problem_release(struct problem *p);
void problem_model_init(struct problem_model *m, const struct terms *ts);
void problem_model_release(struct problem_model *m);
static inline bool problem_true(const struct problem_model *m, lit_t l)
{
	return (m->val.at[lit_var(l)] > 0) != lit_negated(l);
}

/* NULL if the model satisfies the problem and the assumptions; else a violation, in words */
const char *problem_wrong(
	const struct problem *p, const struct problem_assume *with, struct problem_model *m);
/*
 * The problem as SMT-LIB, for another solver: variable 7 is b7, the position of node 7 is the
 * integer n7, a symbol has its own name. Ends with (check-sat).
 */
void problem_print(
	struct strbuf *sb, const struct problem *p, const struct problem_assume *with);
/* without clauses, definitions and nodes: any model of the assumed terms is a model */
static inline bool problem_is_empty(const struct problem *p)
{
	return !p->clauses.n && !p->defs.n && !p->order;
}
/* the edges and nodes of the order */
static inline uint32_t problem_n_edges(const struct problem *p)
{
	return p->order ? order_n_edges(p->order) : 0;
}
static inline uint32_t problem_n_nodes(const struct problem *p)
{
	return p->order ? order_n_nodes(p->order) : 0;
}

#endif
