/* What the shape of a term says about its values, without a solver. */
#ifndef HEDDLE_SMT_TERM_BOUNDS_H
#define HEDDLE_SMT_TERM_BOUNDS_H

#include "smt/term.h"

struct term_bounds {
	u128 least, most; /* unsigned, both possible as far as this looks */
};

struct term_bounds term_bounds(const struct terms *ts, term_t t);
/* narrowed by a condition that holds, if it compares t itself with a constant */
void term_bounds_given(const struct terms *ts, term_t t, term_t condition, struct term_bounds *b);

#endif
