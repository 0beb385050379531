/*
 * The front of the solvers: decides assertions (terms, clauses, orders) under assumptions within a
 * budget, first with our own solver, then with Z3. The output is a checked model, an unsatisfiable
 * core, or the reason why the query is not decided.
 *
 * One solver serves many checks: assertions stay, assumptions hold for one check. A check has three
 * stages; a stage runs only if the one before did not decide:
 *
 *  1. lazy   only with a refine function: terms are not translated. The refine function gets each
 *            candidate model (an order and values of the booleans), simulates the data, and accepts
 *            it or refutes it with a clause that is false in it
 *  2. eager  terms are translated to circuits; candidate models still go to the refine function, if
 *            there is one
 *  3. Z3     the whole problem (problem.h); models go to the refine function, if there is one
 *
 * SAT_UNSAT of any stage is final. Every accepted model is checked against all assertions and
 * assumptions before it is returned: a wrong model of our own solver is a BUG, a wrong model of Z3
 * makes the answer unknown. In stage 1 symbols have no values, so that check leaves terms out: the
 * refine function is responsible for them.
 *
 * There are three ways to use it:
 *  - prediction has assertions, and literals as assumptions, for a few large queries
 *  - symbolic execution has no assertions: each of its many queries is a set of terms,
 *    solve_assume(). Circuits and learned clauses are kept for the next set; only variables in the
 *    cone of the set (blast.h) are decided, so that the cost of a query does not grow with earlier
 *    queries. When the circuits are much larger than the cone, our solver is replaced by an empty
 *    one. ask.h is in front of these queries: it answers most of them without a solver
 *  - an analysis that has one term to decide calls solve_term()
 *
 * Lifetime: heap, solve_free(); the terms must live longer.
 */
#ifndef HEDDLE_SMT_SOLVE_H
#define HEDDLE_SMT_SOLVE_H

#include "base/base.h"
#include "base/vec.h"
#include "smt/order.h"
#include "term/term.h"

struct solve;

enum solve_stage { SOLVE_LAZY, SOLVE_EAGER, SOLVE_Z3 };

struct solve_limits {         /* 0 everywhere: the defaults, no Z3 */
	double seconds;       /* of wall time for stages 1 and 2 together; 0: no limit */
	uint64_t conflicts;   /* in each of the stages 1 and 2; 0: no limit */
	uint32_t refinements; /* refuted candidate models in stage 1; 0: 1000 */
	uint64_t gates;       /* of all circuits, set by the first check; 0: 4 million */
	double z3_seconds;    /* of wall time for stage 3; 0: no stage 3, unless z3_until */
	double z3_until;      /* instead: deadline of stage 3 in clock_seconds() */
	bool eager;           /* no stage 1 */
	bool z3_only;         /* no stage 1 and 2 */
};

enum solve_verdict {
	SOLVE_ACCEPT,
	SOLVE_REFUTE,  /* solve_refute() was called */
	SOLVE_GIVE_UP, /* the whole check ends with SAT_UNKNOWN: no later stage runs */
};

struct solve_stats {
	uint64_t candidates, refuted;                /* candidate models, in all checks */
	uint64_t conflicts, decisions, propagations; /* of our own solver, in all checks */
	uint64_t gates;                              /* of all circuits */
	enum solve_stage stage;                      /* the last stage that ran */
};

struct solve *solve_new(struct terms *ts);
void solve_free(struct solve *q);

/* -- assertions: between checks -- */

/* a new boolean; solve_phase() sets the literal that a decision on it makes true first */
lit_t solve_bool(struct solve *q);
void solve_phase(struct solve *q, lit_t l);
void solve_clause(struct solve *q, const lit_t *lits, uint32_t n);
/* the clauses (a) and (not a or b) */
void solve_unit(struct solve *q, lit_t a);
void solve_implies(struct solve *q, lit_t a, lit_t b);

/* The functions of order.h: node, permanent edge, literal of "a before b", edge of a literal. Make
 * the nodes in observed order. */
uint32_t solve_node(struct solve *q);
void solve_edge(struct solve *q, uint32_t a, uint32_t b);
lit_t solve_before(struct solve *q, uint32_t a, uint32_t b);
void solve_order_if(struct solve *q, lit_t l, uint32_t a, uint32_t b);

/* the literal that is true if and only if a term of one bit is 1; one literal for each term */
lit_t solve_lit(struct solve *q, term_t t);
/* the term of one bit is 1, always or if l is true */
void solve_assert(struct solve *q, term_t t);
void solve_assert_if(struct solve *q, lit_t l, term_t t);

/*
 * The refine function. It may read the candidate model with the functions for the model below
 * (values of symbols only in stages 2 and 3), and call solve_refute().
 */
typedef enum solve_verdict (*solve_refine)(void *ctx, struct solve *q);
void solve_set_refine(struct solve *q, solve_refine fn, void *ctx);
/* from the refine function: adds a permanent clause that is false in the candidate model */
void solve_refute(struct solve *q, const lit_t *lits, uint32_t n);

/* -- the check -- */

/* In the next check or dump all terms of the set, by id, are 1; the set must stay until then. Only
 * without assertions and without other assumptions. */
void solve_assume(struct solve *q, const struct vec_u32 *set);
enum sat_result solve_check(
	struct solve *q, const lit_t *assume, uint32_t n, const struct solve_limits *limits);
/* Can the term, of one bit, be 1? A query of its own, without another solver. */
enum sat_result solve_term(struct terms *ts, term_t t, const struct solve_limits *limits);
/* after SAT_UNKNOWN: the reason, in words */
const char *solve_why(const struct solve *q);
/* after SAT_UNSAT: a subset of the assumptions that is unsatisfiable with the assertions */
const lit_t *solve_core(const struct solve *q, uint32_t *n);
/* the same for solve_assume(): ids of terms; the whole set if Z3 decided */
const struct vec_u32 *solve_core_terms(const struct solve *q);
/* the model after SAT_SAT, or in the refine function the candidate model */
bool solve_true(const struct solve *q, lit_t l);
uint32_t solve_position(const struct solve *q, uint32_t node);
/* of any term; symbols without a value are 0 */
FOR_TESTS u128 solve_value(struct solve *q, term_t t);
/* the values of the symbols in the model, which the caller may move away */
struct term_assign *solve_values(struct solve *q);

const struct solve_stats *solve_stats(const struct solve *q);
/* the query as SMT-LIB into a file, with its answer as :status; -1 after an error message */
int solve_dump(const struct solve *q, const lit_t *assume, uint32_t n, enum sat_result status,
	const char *path);

#endif
