/*
 * Z3 as a back end: for queries that our own solver does not decide within its budget, and as the
 * reference in the tests. Positions of nodes are integers (an edge from a to b is n_a < n_b, and a
 * false literal restricts nothing), data are bit-vectors and arrays.
 *
 * A model of Z3 is not trusted: the caller must check it, with problem_wrong() or by evaluation.
 */
#ifndef HEDDLE_SMT_Z3_SOLVER_H
#define HEDDLE_SMT_Z3_SOLVER_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/problem.h"

/*
 * Decides the problem under the assumptions, within that many seconds (0: no limit). SAT_SAT fills
 * *m; SAT_UNSAT sets *core to an unsatisfiable subset of the assumptions; SAT_UNKNOWN appends the
 * reason to *why. Each call makes a context of its own, which takes 10 to 20 ms.
 */
enum sat_result z3_check(const struct problem *p, const lit_t *assume, uint32_t n, double seconds,
	struct problem_model *m, struct vec_u32 *core, struct strbuf *why);
/*
 * One context for many queries. A query is a set of terms of one bit, by id; each term is
 * translated once. SAT_SAT adds the values of the symbols to *model; SAT_UNKNOWN appends the reason
 * to *why. The context is replaced after many queries or terms, because its memory only grows.
 */
struct z3_sets;
struct z3_sets *z3_sets_new(struct terms *ts);
void z3_sets_free(struct z3_sets *z);
enum sat_result z3_sets_check(struct z3_sets *z, const struct vec_u32 *set, double seconds,
	struct term_assign *model, struct strbuf *why);
/* Decides a text in SMT-LIB, without a model. */
enum sat_result z3_check_text(const char *text, double seconds, struct strbuf *why);
/* the version of Z3, such as "4.8.12.0" */
const char *z3_version(void);

#endif
