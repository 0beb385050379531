/*
 * Private to the sat files. A clause is an index into one array of words: size, flags and glue,
 * activity (or the new index while the array is compacted), then the literals. The first two
 * literals of an attached clause are watched; the literal that a clause implied is its first.
 */
#ifndef HEDDLE_SMT_SAT_CORE_H
#define HEDDLE_SMT_SAT_CORE_H

#include "base/vec.h"
#include "smt/sat.h"

#define NO_CLAUSE  0u
#define BY_THEORY  0x80000000u /* reason: a tag of the theory, for which no clause exists yet */
#define CL_LEARNED 1u
#define CL_DEAD    2u
#define CL_WATCHED 4u /* attached; else the clause is only a reason or a conflict */
#define CL_MOVED   8u
enum { CL_SIZE, CL_FLAGS, CL_ACTIVITY, CL_HEAD, CL_GLUE_SHIFT = 8, CL_MAX_GLUE = 0xffff };

struct watch {
	uint32_t clause;
	lit_t blocker; /* another literal of the clause: if true, the clause need not be visited */
};

struct watches {
	struct watch *at;
	uint32_t n, cap;
};

struct sat {
	bool broken; /* unsatisfiable without assumptions */
	bool searching;
	uint32_t n_vars;

	struct vec_u32 arena;          /* words of clauses; [0] is unused: NO_CLAUSE */
	struct vec_u32 given, learned; /* the attached clauses */
	uint32_t wasted;               /* words of dead clauses and of clauses without watches */

	VEC(int8_t) val;              /* by literal: 1 true, -1 false, 0 not assigned */
	VEC(struct watches) watch;    /* by literal: clauses to visit when it becomes true */
	struct vec_u32 level, reason; /* by variable, of its assignment */
	VEC(uint8_t) phase;           /* by variable, saved: 1 = negated */
	VEC(uint8_t) seen;            /* by variable: mark of the conflict analysis */
	VEC(uint8_t) watched;         /* by variable: 1 if passed to the theory */
	VEC(double) activity;         /* by variable */
	struct vec_u32 heap, heap_at; /* heap of variables by activity; index + 1 by variable */
	double step, clause_step;     /* the next increments of activities */
	bool focused;
	struct vec_u32 focus; /* by variable: equal to focus_mark if in the focus */
	uint32_t focus_mark;

	struct vec_u32 trail, trail_at; /* true literals; length at the start of each level */
	/* in the trail: the first literal not propagated by clauses, not seen by the theory */
	uint32_t head, theory_head;
	struct vec_u32 told; /* indices in the trail of literals passed to assign() */

	struct sat_theory theory;
	struct vec_u32 conflict; /* of the theory: a clause whose literals are all false */
	struct vec_u32 adding;   /* scratch of sat_clause() */
	struct vec_u32 pending;  /* clauses added during a solve: size, literals, size, ... */

	struct vec_u32 lits, stack, cleared, explain, level_mark; /* scratch of the analysis */
	uint32_t mark; /* the current value for level_mark */

	VEC(int8_t) model; /* by variable: 1 true, -1 false */
	struct vec_u32 core;
	enum sat_why why;
	struct sat_stats stats;
	uint32_t max_learned;     /* number of learned clauses at which to reduce them */
	uint32_t simplified_at;   /* length of the trail when satisfied clauses were last removed */
	uint64_t simplified_work; /* stats.propagations at that time */
};

static inline uint32_t *cl_lits(struct sat *s, uint32_t c)
{
	return s->arena.at + c + CL_HEAD;
}

static inline uint32_t cl_size(const struct sat *s, uint32_t c)
{
	return s->arena.at[c + CL_SIZE];
}

static inline uint32_t cl_glue(const struct sat *s, uint32_t c)
{
	return s->arena.at[c + CL_FLAGS] >> CL_GLUE_SHIFT;
}

static inline uint32_t sat_level(const struct sat *s)
{
	return s->trail_at.n;
}

/* sat_clauses.c */
uint32_t cl_new(struct sat *s, const lit_t *lits, uint32_t n, uint32_t flags, uint32_t glue);
void cl_attach(struct sat *s, uint32_t c);
void cl_reduce(struct sat *s);
void cl_simplify(struct sat *s);
/* Adds a clause during the search. Returns it if all its literals are false, else NO_CLAUSE. */
uint32_t cl_add_late(struct sat *s, lit_t *lits, uint32_t n);

/* sat.c */
void sat_enqueue(struct sat *s, lit_t l, uint32_t reason);
uint32_t sat_propagate(struct sat *s); /* a clause whose literals are all false, or NO_CLAUSE */
void sat_backtrack(struct sat *s, uint32_t level);
void heap_up(struct sat *s, uint32_t i);
uint32_t heap_pop(struct sat *s);

/* sat_learn.c */
/* Resolves a conflict: learns a clause from one whose literals are all false, and backtracks. False
 * if the conflict is at level 0. */
bool sat_resolve(struct sat *s, uint32_t clause);
/* Sets s->core to assumptions that together with l are contradictory, and l; l is a false
 * assumption. */
void sat_final_core(struct sat *s, lit_t l);

#endif
