/*
 * The query front: terms, clauses and orders in, a checked model or a core out.
 *
 * One solver serves many queries: what is asserted stays, assumptions last for one check. Work is
 * done in stages, each only if the one before did not decide:
 *
 *  1. lazy   with a refine function: the terms are not looked at; each candidate (an order and
 *            values of the booleans) goes to the function, which simulates the data and accepts,
 *            or refuses with a clause that is false of the candidate
 *  2. eager  terms become circuits; candidates still go to the function, if there is one
 *  3. Z3     everything at once
 *
 * "Unsatisfiable" of any stage is final. A model is checked against everything that was asserted
 * before anybody sees it; a wrong one is our BUG. In stage 1 the terms take part in that check if
 * the refine function gave values to symbols; the literals of terms are then what the values make
 * them, and who accepts a candidate answers for it.
 *
 * Lives on the heap of its owner; the terms must live longer.
 */
#ifndef HEDDLE_SMT_SOLVE_H
#define HEDDLE_SMT_SOLVE_H

#include "smt/order.h"
#include "smt/term.h"

struct solve;

enum solve_stage { SOLVE_LAZY, SOLVE_EAGER, SOLVE_Z3 };

struct solve_limits {         /* 0 everywhere: the defaults, no Z3 */
	double seconds;       /* for stages 1 and 2 together; 0: no limit */
	uint64_t conflicts;   /* of stages 1 and 2 each; 0: no limit */
	uint32_t refinements; /* candidates refused in stage 1; 0: 1000 */
	uint64_t gates;       /* of all circuits; 0: 4 million */
	double z3_seconds;    /* 0: no stage 3 */
	bool eager;           /* no stage 1 */
};

enum solve_verdict {
	SOLVE_ACCEPT,
	SOLVE_REFUTE,  /* solve_refute() was called */
	SOLVE_GIVE_UP, /* the check is unknown, in every stage */
};

struct solve_stats {
	uint64_t candidates, refuted;
	uint64_t conflicts, decisions, propagations;
	uint64_t gates;
	enum solve_stage stage; /* that decided last, or gave up last */
};

struct solve *solve_new(struct terms *ts);
void solve_free(struct solve *q);

/* -- what is asserted: between checks -- */

/* a new boolean; what to try first for it */
lit_t solve_bool(struct solve *q);
void solve_phase(struct solve *q, lit_t l);
void solve_clause(struct solve *q, const lit_t *lits, uint32_t n);
/* short forms: a; if a then b */
void solve_unit(struct solve *q, lit_t a);
void solve_implies(struct solve *q, lit_t a, lit_t b);

/* order.h: nodes in observed order, edges for good, literals that order */
uint32_t solve_node(struct solve *q);
void solve_edge(struct solve *q, uint32_t a, uint32_t b);
lit_t solve_before(struct solve *q, uint32_t a, uint32_t b);
void solve_order_if(struct solve *q, lit_t l, uint32_t a, uint32_t b);

/* the literal that is the truth of a term of one bit; the same one for the same term */
lit_t solve_lit(struct solve *q, term_t t);
void solve_assert(struct solve *q, term_t t);
void solve_assert_if(struct solve *q, lit_t l, term_t t);

/*
 * The judge of candidates. It may look at the candidate with the functions of the model below
 * (values of symbols only in stages 2 and 3), refuse it, or give values to symbols.
 */
typedef enum solve_verdict (*solve_refine)(void *ctx, struct solve *q);
void solve_set_refine(struct solve *q, solve_refine fn, void *ctx);
/* from the judge: a clause for good, false of the candidate */
void solve_refute(struct solve *q, const lit_t *lits, uint32_t n);
void solve_set_value(struct solve *q, term_t sym, u128 value);

/* -- the check -- */

enum sat_result solve_check(
	struct solve *q, const lit_t *assume, uint32_t n, const struct solve_limits *limits);
/* after SAT_UNKNOWN: the reason, in words */
const char *solve_why(const struct solve *q);
/* after SAT_UNSAT: those of the assumptions that it took */
const lit_t *solve_core(const struct solve *q, uint32_t *n);
/* the model after SAT_SAT, or the candidate in the judge */
bool solve_true(const struct solve *q, lit_t l);
uint32_t solve_position(const struct solve *q, uint32_t node);
u128 solve_value(struct solve *q, term_t t); /* of any term over symbols that have values */

const struct solve_stats *solve_stats(const struct solve *q);
/* the query as SMT-LIB into a file; -1 after an error message */
int solve_dump(const struct solve *q, const lit_t *assume, uint32_t n, const char *path);

#endif
