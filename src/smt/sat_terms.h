/*
 * Our own solver for sets of terms of one bit, one set after the other. Circuits and learned
 * clauses are kept for the next set. A set is a list of assumptions; the solver decides only
 * variables in the cone of the set (blast.h), so that the cost of a query does not grow with
 * earlier queries. When the circuits are much larger than the cone, the solver is replaced by an
 * empty one.
 *
 * Lifetime: heap, sat_terms_free(); the terms must live longer.
 */
#ifndef HEDDLE_SMT_SAT_TERMS_H
#define HEDDLE_SMT_SAT_TERMS_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/sat.h"
#include "smt/term.h"

struct sat_terms;

struct sat_terms *sat_terms_new(struct terms *ts);
void sat_terms_free(struct sat_terms *s);
/*
 * Whether all terms of the set can be 1 at once. `until` is a time of clock_seconds(), `conflicts`
 * a limit for this call. SAT_SAT adds the values of the symbols to *model. SAT_UNSAT sets *core to
 * an unsatisfiable subset of the set. SAT_UNKNOWN appends the reason to *why.
 */
enum sat_result sat_terms_check(struct sat_terms *s, const struct vec_u32 *set, double until,
	uint64_t conflicts, struct term_assign *model, struct vec_u32 *core, struct strbuf *why);

#endif
