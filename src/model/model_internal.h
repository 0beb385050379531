/*
 * Inside the model only: one window of a concurrent trace program as clauses and orders (solve.h).
 *
 * Every event of the window has a literal x "executed", and every one but most guards a node in the
 * order. Edges for good go from what must have been executed before: x of the later implies x of
 * the earlier, so nodes of events that are not executed never stand in the way of others.
 *
 * Reads get their literals of reads-from when a guard or a query first needs their value: a candidate
 * in which a guard fails whose reads are not encoded is taken, looked at, and asked again.
 */
#ifndef HEDDLE_MODEL_MODEL_INTERNAL_H
#define HEDDLE_MODEL_MODEL_INTERNAL_H

#include "base/bitset.h"
#include "model/lemma.h"
#include "model/model.h"
#include "model/model_facts.h"
#include "model/simulate.h"
#include "smt/solve.h"

#define NODE_NONE UINT32_MAX

/* one choice of a read */
struct reads_from {
	uint32_t write; /* access, or CTP_NONE: the value at the start of the window */
	lit_t lit;
};

/* the choices of a read: of one that is executed, or (now) of one that its thread stands at */
struct choices {
	uint32_t first, n; /* takes */
};

struct model {
	const struct ctp *c;
	struct facts *f;
	struct mhb *mhb;
	struct lemmas *lemmas;
	struct sim *sim;
	bool own; /* facts, clocks, lemmas and executor */
	enum model_kind kind;
	uint32_t from, to;
	struct solve *q;
	struct vec_u32 lo, hi, base; /* by thread: its events [lo, hi) in the window; place of x(lo) */
	struct vec_u32 x, node;      /* by place */
	struct vec_u32 rep;          /* by event: that which stands for it (model_fold.c); empty: itself */
	struct bitset named;         /* threads that the query at hand names */
	VEC(struct ordering {
		lit_t lit; /* LIT_TRUE: for good */
		uint32_t a; /* events */
		uint32_t b;
	}) orderings; /* everything that orders events of different threads */
	struct map pairs;     /* a, b -> literal of a before b that has its ordering */
	struct map regions;   /* i, j -> literal of region i before region j */
	VEC(struct reads_from) reads_from;
	VEC(struct choices) choice;
	struct map reads, now; /* access -> into choice + 1 */
	struct map unsure;     /* access -> literal: its value is not known */
	struct map at_lits, before_lits; /* of atoms */
	struct bitset guards;  /* that are encoded */
	struct vec_u32 failed; /* guards that failed and are not */
	VEC(struct hold {
		lit_t lit;
		term_t term; /* must be 1 if lit is true */
	}) holds; /* of the query at hand */
	struct term_subst old; /* what was read before the window is a constant */
	bool substitute;
	struct vec_u32 once;   /* literals of the query at hand */
	struct vec_u32 linearization;   /* the candidate as a linearization */
	uint32_t asked;
	enum model_stages {
		MODEL_ALL_STAGES,
		MODEL_EAGER_ONLY, /* for tests */
		MODEL_Z3_ONLY,
	} only;
	/* of model_bound.c: events in segments, each of one thread */
	bool segmented;     /* this query counts switches */
	struct vec_u32 seg; /* by place and i = 1 ..: the event is in segment i or later */
	lit_t bounded;      /* the literals of segments mean something */
	uint32_t max_switches, bound_done;
	struct vec_u32 bound_lits; /* by k: at most k switches */
};

struct model *model_of(struct facts *f, struct mhb *mhb, struct lemmas *lemmas, struct sim *sim,
	enum model_kind kind, uint32_t from, uint32_t to);

/* -- model.c -- */
lit_t model_x(const struct model *m, uint32_t e);
uint32_t model_node(struct model *m, uint32_t e);
uint32_t model_node_of(const struct model *m, uint32_t e); /* NODE_NONE: it has none yet */
/* a literal that, if both are executed, is true if and only if a comes before b */
lit_t model_before(struct model *m, uint32_t a, uint32_t b);
lit_t model_region_before(struct model *m, uint32_t i, uint32_t j);
void model_clause(struct model *m, const lit_t *lits, uint32_t n);
#define model_or(m, ...)                                                                           \
	model_clause(m, (lit_t[]){__VA_ARGS__},                                                    \
		sizeof((lit_t[]){__VA_ARGS__}) / sizeof(lit_t))

/* -- model_fold.c -- */
void model_fold(struct model *m);
static inline uint32_t model_rep(const struct model *m, uint32_t e)
{
	return m->rep.n ? m->rep.at[e] : e;
}
uint32_t model_rep_access(const struct model *m, uint32_t access);
/* no linearization has both; a is before b in every one that has b. Of events that are not folded. */
bool model_excludes(const struct model *m, uint32_t a, uint32_t b);
bool model_mhb_before(const struct model *m, uint32_t a, uint32_t b);
/* the first i events of two alternatives are the same */
bool model_same_until(const struct model *m, uint32_t s, uint32_t t, uint32_t i);
/* e is executed, and its thread does not go on as another alternative does */
lit_t model_run(struct model *m, uint32_t e);
/* in the candidate: the alternative that is executed; of several that are alike, one that is named */
bool model_runs(const struct model *m, uint32_t thread);

/* -- model_sync.c: locks, conditions, semaphores, lives of objects and blocks -- */
void model_sync(struct model *m);

/* -- model_data.c -- */
/* a term with what was read before the window as constants */
term_t model_term(struct model *m, term_t t);
/* e's thread stands before it */
lit_t model_at(struct model *m, uint32_t e);
void model_data(struct model *m);
void model_guard(struct model *m, uint32_t guard);
/* the literal of a term that holds, reads executed or stood at included */
lit_t model_holds(struct model *m, term_t t);
const struct choices *model_choices(const struct model *m, uint32_t access, bool now);
/* the judge of candidates */
enum solve_verdict model_refine(void *ctx, struct solve *q);

/* -- model_query.c -- */
/* The query as assumptions; false: it is contradictory as it stands. */
bool model_assume(struct model *m, const struct query *q, struct vec_u32 *assume);
/* the solver, until a candidate holds up: guards that failed unseen are looked at from then on */
enum sat_result model_check(
	struct model *m, const struct vec_u32 *assume, const struct solve_limits *sl);
/* the candidate of the solver as a linearization into m->linearization */
void model_linearize(struct model *m);

/* -- model_bound.c -- */
/* the assumptions for at most k switches; k is at most max in the queries to come */
void model_bound_assume(struct model *m, uint32_t max, uint32_t k, struct vec_u32 *assume);
/* orders that were made since */
void model_bound_more(struct model *m);
bool model_bound_in_core(const struct model *m);
/* in the candidate: the segment of an executed event */
uint32_t model_segment(const struct model *m, uint32_t e);

/* -- static_refute.c -- */
/* No linearization of the whole trace satisfies the query: shown by its own events and their locks. */
bool static_refutes(struct facts *f, const struct mhb *mhb, const struct query *q);

/* -- minimize.c -- */
/* fewer events and fewer switches of a linearization from m->from that satisfies the query, which is
 * what is assumed */
void minimize_witness(struct model *m, const struct query *q, const struct vec_u32 *assume,
	struct vec_u32 *line);
uint32_t count_switches(const struct ctp *c, const struct vec_u32 *line);

#endif
