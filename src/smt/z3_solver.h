/*
 * Z3 as a back end: the fall-back for what our own solver does not decide in its budget, and the
 * judge in the tests. Orders are integers (a before b is n_a < n_b, never its negation), data are
 * bit-vectors. One context for each check; it costs 10 to 20 ms.
 *
 * The model is not trusted: the caller checks it with problem_wrong().
 */
#ifndef HEDDLE_SMT_Z3_SOLVER_H
#define HEDDLE_SMT_Z3_SOLVER_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/problem.h"

/*
 * Whether the problem has a solution under the assumptions, within that many seconds (0: as long as
 * it takes). SAT_SAT fills *m; SAT_UNSAT fills *core with those of the assumptions it took;
 * SAT_UNKNOWN appends the reason to *why.
 */
enum sat_result z3_check(const struct problem *p, const lit_t *assume, uint32_t n, double seconds,
	struct problem_model *m, struct vec_u32 *core, struct strbuf *why);
/*
 * One context for many questions: each a set of terms of one bit (by id, `set`), which are
 * translated once. SAT_SAT adds values to *model, as trustworthy as above. The context is made anew
 * now and then, for its memory.
 */
struct z3_sets;
struct z3_sets *z3_sets_new(struct terms *ts);
void z3_sets_free(struct z3_sets *z);
enum sat_result z3_sets_check(struct z3_sets *z, const struct vec_u32 *set, double seconds,
	struct term_assign *model, struct strbuf *why);
/* the same for a text in SMT-LIB, without a model */
enum sat_result z3_check_text(const char *text, double seconds, struct strbuf *why);
/* "4.8.12.0" */
const char *z3_version(void);

#endif
