/*
 * Queries of symbolic execution: is a condition possible under a path condition, is it implied,
 * which values can a term have? There are many small queries over path conditions that share most
 * of their conjuncts, so each query goes through layers, the cheapest first (docs/smt.md):
 *
 *  1. the simplifier: the condition is a constant, or it or its negation is a conjunct of the path
 *  2. independence: the query is restricted to its slice, the conjuncts of the path that share
 *     symbols with it, directly or through other conjuncts
 *  3. the cache: the same set of conjuncts was decided before, a superset of it is satisfiable,
 *     or a subset of it is unsatisfiable
 *  4. models: a recent model satisfies the set
 *  5. enumeration: with few bits of input the set is evaluated for all values (enumerate.h)
 *  6. the solvers: the set is a query to solve.h. Our own solver gets half of the time; a query
 * that it does not decide or cannot express (floating point, circuits beyond the limit of gates)
 *     goes to Z3
 *
 * In all functions `path` is a path condition, as n terms of one bit; it must be satisfiable. After
 * ASK_UNKNOWN, ask_why() has the reason; the caller must report its result as incomplete.
 *
 * Lifetime: heap, ask_free(); the terms must live longer.
 */
#ifndef HEDDLE_SMT_ASK_H
#define HEDDLE_SMT_ASK_H

#include "term/term.h"

struct ask;

enum ask_answer { ASK_NO, ASK_YES, ASK_UNKNOWN };

struct ask_options {        /* 0 everywhere: the defaults */
	double seconds;     /* of wall time for one query, all layers together; 0: 10 */
	uint64_t conflicts; /* of our own solver in one query, before Z3 runs; 0: 20000 */
	const char *dump; /* directory for each query that reaches a solver, as SMT-LIB; or NULL */
	bool no_cache;    /* layers 3 to 5 off: the slow twin that tests compare with */
	bool no_independence; /* layer 2 off */
	bool z3_only;         /* no layer 5, and layer 6 is Z3 alone */
};

struct ask_stats {
	uint64_t asked; /* queries */
	/* decided by a layer; ask_model() is one query, but each of its classes counts here */
	uint64_t by_shape, by_cache, by_model, by_values, by_solver, by_z3;
	uint64_t unknown; /* not decided by any layer */
	double seconds;   /* of wall time in layers 3 to 6 */
};

struct ask *ask_new(struct terms *ts, const struct ask_options *opt);
void ask_free(struct ask *a);

/* A deadline for all queries, in clock_seconds(), beside the limit of each; 0: none. */
void ask_until(struct ask *a, double deadline);

/* Is the path satisfiable together with the condition (one bit)? */
enum ask_answer ask_may(struct ask *a, const term_t *path, uint32_t n, term_t condition);
/* Does the path imply the condition (one bit)? */
enum ask_answer ask_must(struct ask *a, const term_t *path, uint32_t n, term_t condition);
/* A value that the term can have on the path; ASK_YES with *value, or ASK_UNKNOWN. */
enum ask_answer ask_value(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *value);
/* The least and the greatest unsigned value of the term on the path. If time runs out, the range is
 * too wide, but it always contains every possible value. */
void ask_range(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *least, u128 *most);
/* Whether the term has one value only on the path. Cheap: false also if there are many bits of
 * input. */
bool ask_single(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *value);
/* Sets *as, which the caller has initialized, to an assignment that satisfies the whole path. */
enum ask_answer ask_model(struct ask *a, const term_t *path, uint32_t n, struct term_assign *as);

/* after ASK_UNKNOWN, until the next query: the reason, in words */
const char *ask_why(const struct ask *a);
const struct ask_stats *ask_stats(const struct ask *a);

#endif
