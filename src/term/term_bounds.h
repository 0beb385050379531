/* Bounds on the values of a term, from its structure alone, without a solver. */
#ifndef HEDDLE_TERM_TERM_BOUNDS_H
#define HEDDLE_TERM_TERM_BOUNDS_H

#include "term/term.h"

struct term_bounds {
	u128 least, most; /* unsigned; every possible value is in [least, most] */
};

struct term_bounds term_bounds(const struct terms *ts, term_t t);
/* Narrows *b by a condition that holds, if the condition compares t itself with a constant. */
void term_bounds_given(const struct terms *ts, term_t t, term_t condition, struct term_bounds *b);

#endif
