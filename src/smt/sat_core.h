/*
 * Inside the sat files only. A clause is a place in one array of words: size, flags and glue,
 * activity (or the new place while the array is compacted), then the literals. The first two
 * literals of an attached clause are watched; the literal that a clause implied is its first.
 */
#ifndef HEDDLE_SMT_SAT_CORE_H
#define HEDDLE_SMT_SAT_CORE_H

#include "base/vec.h"
#include "smt/sat.h"

#define NO_CLAUSE  0u
#define BY_THEORY  0x80000000u /* reason: a tag of the theory, not a clause yet */
#define CL_LEARNED 1u
#define CL_DEAD    2u
#define CL_WATCHED 4u /* else it only explains */
#define CL_MOVED   8u
enum { CL_SIZE, CL_FLAGS, CL_ACTIVITY, CL_HEAD, CL_GLUE_SHIFT = 8, CL_MAX_GLUE = 0xffff };

struct watch {
	uint32_t clause;
	lit_t blocker; /* some other literal of it: if true, nothing to do */
};

struct watches {
	struct watch *at;
	uint32_t n, cap;
};

struct sat {
	bool broken; /* unsatisfiable without assumptions */
	bool searching;
	uint32_t n_vars;

	struct vec_u32 arena; /* clauses; [0] is nobody's */
	struct vec_u32 given, learned;
	uint32_t wasted; /* words of dead clauses */

	VEC(int8_t) val;              /* by literal */
	VEC(struct watches) watch;    /* by literal: clauses to visit when it becomes true */
	struct vec_u32 level, reason; /* by variable */
	VEC(uint8_t) phase;           /* by variable: 1 = negated */
	VEC(uint8_t) seen;            /* by variable */
	VEC(uint8_t) watched;         /* by variable: the theory's */
	VEC(double) activity;         /* by variable */
	struct vec_u32 heap, heap_at; /* variables by activity; place + 1 by variable */
	double step, clause_step;
	bool focused;
	struct vec_u32 focus; /* by variable: decided, if it is focus_mark */
	uint32_t focus_mark;

	struct vec_u32 trail, trail_at; /* literals; length at the start of each level */
	uint32_t head, theory_head;
	struct vec_u32 told; /* places on the trail of literals the theory was told */

	struct sat_theory theory;
	struct vec_u32 conflict; /* of the theory: a clause, all literals false */
	struct vec_u32 adding;   /* scratch of sat_clause() */
	struct vec_u32 pending;  /* clauses from hooks: size, literals, size, ... */

	struct vec_u32 lits, stack, cleared, explain, level_mark; /* scratch of the analysis */
	uint32_t mark;

	VEC(int8_t) model; /* by variable: 1 true */
	struct vec_u32 core;
	enum sat_why why;
	struct sat_stats stats;
	uint32_t max_learned;     /* reduce at that many */
	uint32_t simplified_at;   /* length of the trail when satisfied clauses were last removed */
	uint64_t simplified_work; /* propagations then */
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
/* a clause under the current assignment: the clause if all its literals are false */
uint32_t cl_add_late(struct sat *s, lit_t *lits, uint32_t n);

/* sat.c */
void sat_enqueue(struct sat *s, lit_t l, uint32_t reason);
uint32_t sat_propagate(struct sat *s); /* a clause whose literals are all false, or NO_CLAUSE */
void sat_backtrack(struct sat *s, uint32_t level);
void heap_insert(struct sat *s, uint32_t v);
void heap_up(struct sat *s, uint32_t i);
uint32_t heap_pop(struct sat *s);

/* sat_learn.c */
/* the clause that implied l, made now if the theory did */
uint32_t sat_reason(struct sat *s, lit_t l);
/* learns from a clause whose literals are all false; false if nothing is left to undo */
bool sat_resolve(struct sat *s, uint32_t clause);
/* the assumptions behind the falsehood of assumption l */
void sat_final_core(struct sat *s, lit_t l);

#endif
