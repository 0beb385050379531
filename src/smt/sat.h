/*
 * A CDCL solver for propositional clauses with one theory beside them (DPLL(T); Nieuwenhuis,
 * Oliveras, Tinelli 2006; the core after MiniSat, Een and Soerensson 2003).
 *
 * Two watched literals, first-UIP learning with recursive minimization, activities, phase saving,
 * Luby restarts, reduction of learned clauses by glue, assumptions with an unsatisfiable core,
 * clauses and variables added between solves, and by the theory's functions during a solve.
 *
 * Lifetime: heap, sat_free(). A solve that is not decided returns SAT_UNKNOWN; sat_why() is the
 * reason.
 */
#ifndef HEDDLE_SMT_SAT_H
#define HEDDLE_SMT_SAT_H

#include "base/vec.h"

/* 2 * variable + 1 if negated; variables count from 1, and 0 is "no literal" */
typedef uint32_t lit_t;

#define LIT_NONE  0u
#define LIT_TRUE  2u /* variable 1 is true in every solver */
#define LIT_FALSE 3u

static inline lit_t lit_not(lit_t l)
{
	return l ^ 1;
}

static inline uint32_t lit_var(lit_t l)
{
	return l >> 1;
}

static inline bool lit_negated(lit_t l)
{
	return l & 1;
}

enum sat_result { SAT_UNKNOWN, SAT_SAT, SAT_UNSAT };
/* the reason of SAT_UNKNOWN */
enum sat_why { SAT_WHY_NONE, SAT_WHY_CONFLICTS, SAT_WHY_TIME, SAT_WHY_THEORY };
/* the theory's verdict on a complete assignment */
enum sat_final {
	SAT_FINAL_ACCEPT,
	SAT_FINAL_AGAIN,   /* refused; the theory has added a clause that excludes it */
	SAT_FINAL_GIVE_UP, /* the solve ends with SAT_UNKNOWN */
};

/*
 * The theory. All functions may be NULL. assign() is called only for literals of variables given to
 * sat_watch(), in the order in which the literals became true.
 */
struct sat_theory {
	void *ctx;
	/*
	 * l became true. Returns false after it has called sat_conflict(), because l contradicts
	 * earlier literals; l then does not count as assigned. May call sat_imply().
	 */
	bool (*assign)(void *ctx, lit_t l);
	/* of the literals passed to assign(), only the first n are still true */
	void (*backtrack)(void *ctx, uint32_t n);
	/*
	 * The reason why l was implied with that tag: appends true literals that imply l, all of
	 * them assigned before l was implied. Called only if a conflict needs the reason.
	 */
	void (*explain)(void *ctx, lit_t l, uint32_t tag, struct vec_u32 *out);
	/*
	 * All variables are assigned (with a focus: all variables of the focus). May call
	 * sat_clause(), sat_var(), sat_current(). It has a context of its own, so that the user of
	 * a theory can add its own check of the assignments that the theory accepts.
	 */
	enum sat_final (*final)(void *final_ctx);
	void *final_ctx;
	/* the literal to decide next, or LIT_NONE for the variable with the greatest activity */
	lit_t (*decide)(void *ctx);
	/* which of l and its negation to decide, or LIT_NONE for the saved phase */
	lit_t (*phase)(void *ctx, lit_t l);
};

struct sat_limits {
	uint64_t conflicts; /* 0: no limit */
	double until;       /* deadline in clock_seconds(); 0: none */
};

struct sat_stats {
	uint64_t decisions, propagations, conflicts, restarts, finals;
	uint64_t theory_conflicts, theory_implied, theory_explained;
	uint64_t learned, removed;
};

struct sat;

struct sat *sat_new(void);
void sat_free(struct sat *s);

/* the positive literal of a new variable */
lit_t sat_var(struct sat *s);
uint32_t sat_n_vars(const struct sat *s); /* the greatest variable */
/* A decision on the variable of l makes l true, until phase saving or the theory overrides it. */
void sat_phase(struct sat *s, lit_t l);
/*
 * Restricts decisions to these variables, in all solves until the next call. Serves a solver that
 * keeps many more clauses than one query needs. Variables outside the focus are assigned only by
 * propagation. The caller guarantees that an assignment of the focus without a conflict extends to
 * all variables. n = 0 removes the restriction.
 */
void sat_focus(struct sat *s, const uint32_t *vars, uint32_t n);
/* Adds a permanent clause. During a solve it takes effect when the theory's function returns. */
void sat_clause(struct sat *s, const lit_t *lits, uint32_t n);

void sat_set_theory(struct sat *s, const struct sat_theory *theory);
/* Makes the theory's assign() see this variable, which must not be assigned. */
void sat_watch(struct sat *s, uint32_t var);
/* from assign(): l follows from the assigned literals; the tag goes to explain() */
void sat_imply(struct sat *s, lit_t l, uint32_t tag);
/* from assign(): these true literals cannot be true together */
void sat_conflict(struct sat *s, const lit_t *lits, uint32_t n);
/* The current value: 1 true, -1 false, 0 not assigned. Between solves only literals that are true
 * or false without assumptions have a value. */
int sat_current(const struct sat *s, lit_t l);

enum sat_result sat_solve(
	struct sat *s, const lit_t *assume, uint32_t n, const struct sat_limits *limits);
enum sat_why sat_why(const struct sat *s);
/* The value in the model, after SAT_SAT until the next solve. With a focus there is no model:
 * final() reads the assignment with sat_current(). */
bool sat_true(const struct sat *s, lit_t l);
/* After SAT_UNSAT: a subset of the assumptions that cannot be true together; empty if the clauses
 * are unsatisfiable without assumptions. */
const lit_t *sat_core(const struct sat *s, uint32_t *n);
const struct sat_stats *sat_stats(const struct sat *s);

#endif
