/*
 * Questions of a symbolic execution: is this condition possible on a path, must it hold, what is a
 * value? Many small questions over paths that share most of their conditions, so each goes through
 * layers, the cheapest first (docs/smt.md):
 *
 *  1. the simplifier: the condition is a constant, or stands in the path as it is or negated
 *  2. independence: only the conjuncts of the path that share symbols with the question, directly
 * or through one another, can matter
 *  3. the cache: the same slice was asked; a superset of it was satisfiable; a subset was not
 *  4. models: a recent model, evaluated on the slice, satisfies it
 *  5. the solver: conjuncts are assumptions, circuits and what was learned stay for the next
 * question; what it does not decide, or cannot express (floating point, arrays that do not fit),
 * goes to one Z3 context that lives as long
 *
 * A path that is asked about must itself be satisfiable. Every model is evaluated on our own terms
 * before it is believed: a wrong one of our solver is a BUG, a wrong one of Z3 is "unknown". That is
 * an answer: the caller's path is incomplete, ask_why() has the reason.
 *
 * Lifetime: heap, ask_free(); the terms must live longer.
 */
#ifndef HEDDLE_SMT_ASK_H
#define HEDDLE_SMT_ASK_H

#include "smt/term.h"

struct ask;

enum ask_answer { ASK_NO, ASK_YES, ASK_UNKNOWN };

struct ask_options {        /* 0 everywhere: the defaults */
	double seconds;     /* for one question, all layers together; 0: 10 */
	uint64_t conflicts; /* of our own solver before Z3 is asked; 0: the default */
	const char *dump; /* directory for each query that reaches a solver, as SMT-LIB; or NULL */
	bool no_cache;    /* layers 3 and 4 off: the twin that tests compare with */
	bool no_independence; /* layer 2 off */
	bool z3_only;         /* layer 5 is Z3 alone */
};

struct ask_stats {
	uint64_t asked;                                          /* questions */
	uint64_t by_shape, by_cache, by_model, by_solver, by_z3; /* answered by */
	uint64_t unknown;
	double seconds; /* in layers 3 to 5 */
};

struct ask *ask_new(struct terms *ts, const struct ask_options *opt);
void ask_free(struct ask *a);

/* Can all of path and the condition (one bit) hold at once? */
enum ask_answer ask_may(struct ask *a, const term_t *path, uint32_t n, term_t condition);
/* Does the path imply it? ASK_YES only if it was proven. */
enum ask_answer ask_must(struct ask *a, const term_t *path, uint32_t n, term_t condition);
/* A value that the term may have on the path; ASK_YES with *value, or ASK_UNKNOWN. */
enum ask_answer ask_value(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *value);
/* The least and the greatest value, unsigned; what could not be decided in time stays as wide as it
 * is known to be, so the range always holds every possible value. */
void ask_range(struct ask *a, const term_t *path, uint32_t n, term_t t, u128 *least, u128 *most);
/* An assignment that satisfies the whole path, into *as (initialized by the caller; cleared first).
 */
enum ask_answer ask_model(struct ask *a, const term_t *path, uint32_t n, struct term_assign *as);

/* after ASK_UNKNOWN: the reason, in words */
const char *ask_why(const struct ask *a);
const struct ask_stats *ask_stats(const struct ask *a);

#endif
