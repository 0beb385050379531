/*
 * Our own solver for sets of terms of one bit, one set after the other: circuits, and what was
 * learned about them, stay for the next. A set is a list of assumptions; only what its terms hang
 * on is decided, so that a question costs what it is about and not what was asked before. When the
 * circuits have become much more than that, everything starts anew.
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
 * Whether all of the set can be 1, by that moment of clock_seconds(). SAT_SAT: values are added to
 * *model. SAT_UNSAT: *core has those of the set that it took. SAT_UNKNOWN appends the reason to
 * *why.
 */
enum sat_result sat_terms_check(struct sat_terms *s, const struct vec_u32 *set, double until,
	uint64_t conflicts, struct term_assign *model, struct vec_u32 *core, struct strbuf *why);

#endif
