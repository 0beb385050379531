/*
 * Z3 as a back end: for queries that our own solver does not decide within its budget, and as the
 * reference in the tests. Positions of nodes are integers (an edge from a to b is n_a < n_b, and a
 * false literal restricts nothing), data are bit-vectors and arrays.
 *
 * A model of Z3 is not trusted: the caller must check it with problem_wrong().
 *
 * Lifetime: heap, z3_free(); the terms must live longer.
 */
#ifndef HEDDLE_SMT_Z3_SOLVER_H
#define HEDDLE_SMT_Z3_SOLVER_H

#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/problem.h"

struct z3;

struct z3 *z3_new(struct terms *ts);
void z3_free(struct z3 *z);
/*
 * Decides the problem under the assumptions, until that time of clock_seconds(). SAT_SAT fills *m;
 * SAT_UNSAT sets *core to an unsatisfiable subset of the assumed literals; SAT_UNKNOWN sets *why to
 * the reason.
 *
 * For an empty problem the context is kept for the next query, and each term is translated once. It
 * is replaced after many queries or terms, because its memory only grows. `quick`: tries Z3 without
 * its preprocessing first, for a third of the time, which is ten times faster on small queries;
 * with preprocessing Z3 is better on hard ones, and on all queries with floating point.
 */
enum sat_result z3_check(struct z3 *z, const struct problem *p, const struct problem_assume *with,
	double until, bool quick, struct problem_model *m, struct vec_u32 *core,
	struct strbuf *why);
/* Decides a text in SMT-LIB, without a model. */
FOR_TESTS enum sat_result z3_check_text(const char *text, double seconds, struct strbuf *why);
/* the version of Z3, such as "4.8.12.0" */
const char *z3_version(void);

#endif
