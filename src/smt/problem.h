/*
 * A query as data: what a back end that takes everything at once is given, and what every model is
 * checked against. Clauses over literals, literals that are the truth of terms, and an order whose
 * edges hang on literals. solve.h makes it.
 */
#ifndef HEDDLE_SMT_PROBLEM_H
#define HEDDLE_SMT_PROBLEM_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/order.h"
#include "smt/term.h"

struct problem {
	struct terms *ts;
	const struct order *order;
	uint32_t n_vars;        /* the greatest variable in use */
	struct vec_u32 clauses; /* size, literals, size, literals, ... */
	VEC(struct problem_def {
		lit_t lit;
		term_t term;  /* of one bit: lit is true if and only if it is 1 */
		bool only_if; /* or only: if lit is true, it is 1 */
	})
	defs;
};

struct problem_model {
	VEC(int8_t) val;           /* by variable: 1 true, -1 false */
	struct vec_u32 pos;        /* by node: its place in a total order */
	struct term_assign values; /* of the symbols of the defs */
	bool has_values;           /* else the defs are nobody's business */
};

void problem_release(struct problem *p);
void problem_model_init(struct problem_model *m, const struct terms *ts);
void problem_model_release(struct problem_model *m);
static inline bool problem_true(const struct problem_model *m, lit_t l)
{
	return (m->val.at[lit_var(l)] > 0) != lit_negated(l);
}

/* NULL if the model satisfies everything and the assumptions; else what it does not */
const char *problem_wrong(
	const struct problem *p, const lit_t *assume, uint32_t n, struct problem_model *m);
/*
 * As SMT-LIB, for another solver: a literal's variable is b7, a node's place the integer n7, a
 * symbol itself. Ends with (check-sat).
 */
void problem_print(struct strbuf *sb, const struct problem *p, const lit_t *assume, uint32_t n);

#endif
