/*
 * A CDCL solver for propositional clauses with one theory beside them (DPLL(T); Nieuwenhuis,
 * Oliveras, Tinelli 2006; the core after MiniSat, Een and Soerensson 2003).
 *
 * Two watched literals, first-UIP learning with recursive minimization, activities, phase saving,
 * Luby restarts, reduction of learned clauses by glue, assumptions with an unsatisfiable core,
 * clauses and variables added between solves and from the theory's hooks during one.
 *
 * A solver lives on the heap of its owner. Not sat and not unsat is SAT_UNKNOWN, with a reason.
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
/* why SAT_UNKNOWN */
enum sat_why { SAT_WHY_NONE, SAT_WHY_CONFLICTS, SAT_WHY_TIME, SAT_WHY_THEORY };
/* what the theory says of a complete assignment that it has not refused before */
enum sat_final {
	SAT_FINAL_ACCEPT,
	SAT_FINAL_AGAIN, /* no: clauses were added that say so */
	SAT_FINAL_GIVE_UP,
};

/*
 * The theory. All functions may be NULL. Only literals of variables given to sat_watch() come to
 * assign(), each once, in the order in which they became true.
 */
struct sat_theory {
	void *ctx;
	/*
	 * l became true. false: that contradicts earlier literals; sat_conflict() was called, and
	 * l counts as not assigned. It may call sat_imply().
	 */
	bool (*assign)(void *ctx, lit_t l);
	/* only the first n assigned literals are true now */
	void (*backtrack)(void *ctx, uint32_t n);
	/*
	 * Why l was implied with that tag: appends true literals, all of them assigned before l was
	 * implied. Asked for only if a conflict needs it.
	 */
	void (*explain)(void *ctx, lit_t l, uint32_t tag, struct vec_u32 *out);
	/*
	 * All variables are assigned. It may call sat_clause(), sat_var(), sat_current(). Its
	 * context is its own: who uses a theory may look at the candidates of it.
	 */
	enum sat_final (*final)(void *final_ctx);
	void *final_ctx;
	/* the literal to decide next, or LIT_NONE to leave it to the activities */
	lit_t (*decide)(void *ctx);
	/* which of l and its negation to decide, or LIT_NONE for the saved phase */
	lit_t (*phase)(void *ctx, lit_t l);
};

struct sat_limits {
	uint64_t conflicts; /* 0: no limit */
	double seconds;     /* of wall time; 0: no limit */
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
/* l is what to try first for its variable */
void sat_phase(struct sat *s, lit_t l);
/*
 * From now on only these variables are decided: for a solver that keeps much more than one question
 * is about. What propagation leaves open stays open. The caller answers for it that an assignment
 * of them without a conflict extends to all variables. n = 0: all are decided again.
 */
void sat_focus(struct sat *s, const uint32_t *vars, uint32_t n);
/* a clause for good; from a hook during a solve it takes effect when the hook returns */
void sat_clause(struct sat *s, const lit_t *lits, uint32_t n);

void sat_set_theory(struct sat *s, const struct sat_theory *theory);
void sat_watch(struct sat *s, uint32_t var);
/* from assign(): l follows from what was assigned */
void sat_imply(struct sat *s, lit_t l, uint32_t tag);
/* from assign(): these true literals cannot be true together */
void sat_conflict(struct sat *s, const lit_t *lits, uint32_t n);
/* during a solve: 1 true, -1 false, 0 not assigned; also the values fixed for good between solves
 */
int sat_current(const struct sat *s, lit_t l);

enum sat_result sat_solve(
	struct sat *s, const lit_t *assume, uint32_t n, const struct sat_limits *limits);
enum sat_why sat_why(const struct sat *s);
/* after SAT_SAT, until the next solve; with a focus only the final hook may look, by sat_current()
 */
bool sat_true(const struct sat *s, lit_t l);
/* after SAT_UNSAT: those of the assumptions that cannot be true together; none: no assumption helps
 */
const lit_t *sat_core(const struct sat *s, uint32_t *n);
const struct sat_stats *sat_stats(const struct sat *s);

#endif
