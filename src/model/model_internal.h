/*
 * The model of one window, inside: a concurrent trace program as clauses and orders for the solver
 * (smt/solve.h; Fusion §4.2).
 *
 * Every event of the window has a literal x, "executed". Every event except most guards has a node
 * in the order. Unconditional edges go from events that must happen before: x of the later event
 * implies x of the earlier one, so the nodes of events that are not executed do not constrain
 * others.
 *
 * Reads-from literals of a read are made when a guard or a query first needs its value. The
 * solver's assignment is executed (model_refine()); where a guard fails whose reads are not
 * encoded, they are encoded and the solver is asked again.
 */
#ifndef HEDDLE_MODEL_MODEL_INTERNAL_H
#define HEDDLE_MODEL_MODEL_INTERNAL_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/lemma.h"
#include "model/model.h"
#include "model/model_facts.h"
#include "model/simulate.h"
#include "smt/solve.h"

#define NODE_NONE UINT32_MAX

/* a write that a read may read from, and the literal that it does */
struct reads_from {
	uint32_t write; /* access, or CTP_NONE: the value at the start of the window */
	lit_t lit;
};

/* the choices of a read that is executed, or ("now") of one that its thread stands AT, or before */
struct choices {
	uint32_t first, n; /* of model.reads_from */
};

struct model {
	const struct ctp *c;
	struct facts *f;
	struct mhb *mhb;
	struct lemmas *lemmas;
	struct sim *sim;
	enum model_kind kind;
	uint32_t from, to;
	struct solve *q;
	struct vec_u32 lo, hi,
		base;           /* by thread: its events [lo, hi) in the window; index of x(lo) */
	struct vec_u32 x, node; /* by index: literal "executed", node in the order */
	struct vec_u32 rep;     /* by event: its representative (model_fold.c); empty: itself */
	struct bitset named;    /* threads that the current query names */
	VEC(struct ordering {
		lit_t lit;  /* LIT_TRUE: unconditional */
		uint32_t a; /* events: if lit, a comes before b */
		uint32_t b;
	}) orderings;          /* all that order events of different threads, for model_bound.c */
	struct map pairs;   /* a, b -> 1: their order is in orderings */
	struct map regions; /* i, j -> literal: critical section i before j */
	VEC(struct reads_from) reads_from;
	VEC(struct choices) choice;
	struct map reads;                /* access -> into choice + 1 */
	struct map now;                  /* event that the thread stands AT, access -> the same */
	struct map unsure;               /* access -> literal: its value is not known */
	struct map at_lits, before_lits; /* of atoms */
	VEC(struct wakeup {
		uint32_t object;
		uint32_t woken;
		uint32_t cause; /* SIGNAL or BROADCAST */
		lit_t lit;      /* the cause wakes the thread of `woken` */
	}) wakeups;                   /* those of a wake-up are contiguous */
	struct map asleep_lits;       /* of atoms; model_asleep.c: */
	struct map consumed, exact;   /* signal, object -> literal */
	struct bitset guards;            /* that are encoded */
	struct vec_u32 failed; /* guards that are not encoded and fail in the solver's assignment */
	VEC(struct hold {
		lit_t lit;
		term_t term; /* must be 1 if lit is true */
		uint32_t ahead; /* SPINS: the event that its thread stands AT; else CTP_NONE */
	}) holds;                        /* of the current query */
	struct term_subst old;        /* symbols that were read before the window -> constants */
	bool substitute;              /* the window has events before it */
	struct vec_u32 once;          /* literals of the current query only */
	struct vec_u32 linearization; /* the solver's assignment as events in order */
	uint32_t asked;               /* queries so far */
	double until;                 /* deadline of the query, in clock_seconds(); 0: none */
	uint64_t memory;              /* limit for this process, in bytes; 0: none */
	uint32_t looked;              /* calls of model_is_late() */
	const char *spoilt;           /* why the encoding was broken off, and the model is not to be
					 used any more; NULL: it was not */
	enum model_stages {
		MODEL_ALL_STAGES,
		MODEL_EAGER_ONLY, /* tests compare the stages */
		MODEL_Z3_ONLY,
	} only;
	/* of model_bound.c: events lie in segments, each of one thread */
	bool segmented; /* this query counts switches */
	struct vec_u32
		seg;   /* by index of the event and i = 1 ..: the event is in segment i or later */
	lit_t bounded; /* assumed where the literals of segments are used */
	uint32_t max_switches, bound_done;
	struct vec_u32 bound_lits; /* by k: at most k switches */
};

/* A model of the events with rank in [from, to); the whole trace: 0, UINT32_MAX. */
struct model *model_of(struct facts *f, struct mhb *mhb, struct lemmas *lemmas, struct sim *sim,
	enum model_kind kind, uint32_t from, uint32_t to);

/* -- model.c -- */
/* Encoding is broken off: the time or the memory of the query is used up, and m->spoilt says so. */
bool model_is_late(struct model *m);
lit_t model_x(const struct model *m, uint32_t e);
uint32_t model_node_of(const struct model *m, uint32_t e); /* NODE_NONE: it has none yet */
/* a literal that is true if and only if a comes before b, where both are executed */
lit_t model_before(struct model *m, uint32_t a, uint32_t b);
/* a literal that, if true, puts the release of critical section i before the acquisition of j */
lit_t model_region_before(struct model *m, uint32_t i, uint32_t j);
/* solve_clause() without constant literals */
void model_clause(struct model *m, const lit_t *lits, uint32_t n);
#define model_or(m, ...)                                                                           \
	model_clause(m, (lit_t[]){__VA_ARGS__}, sizeof((lit_t[]){__VA_ARGS__}) / sizeof(lit_t))

/* -- model_fold.c -- */
void model_fold(struct model *m);
static inline uint32_t model_rep(const struct model *m, uint32_t e)
{
	return m->rep.n ? m->rep.at[e] : e;
}
uint32_t model_rep_access(const struct model *m, uint32_t access);
/* For representatives: no linearization has both events; a comes before b in each that has b. */
bool model_excludes(const struct model *m, uint32_t a, uint32_t b);
bool model_mhb_before(const struct model *m, uint32_t a, uint32_t b);
/* the first i events of two alternatives are the same */
bool model_same_until(const struct model *m, uint32_t s, uint32_t t, uint32_t i);
/* e is executed, and its thread does not go on as another alternative does */
lit_t model_run(struct model *m, uint32_t e);
/* In the solver's assignment: the thread is the alternative that is executed; of several that are
 * alike, one that the query names. */
bool model_runs(const struct model *m, uint32_t thread);

/* -- model_sync.c: locks, conditions, semaphores, lifetimes of objects and blocks -- */
void model_sync(struct model *m);

/* -- model_data.c -- */
/* e's thread stands before it */
lit_t model_at(struct model *m, uint32_t e);
void model_data(struct model *m);
void model_guard(struct model *m, uint32_t guard);
/* the literal of the atom HOLDS t */
lit_t model_holds(struct model *m, term_t t);
/* the literal of the atom SPINS e t */
lit_t model_spins(struct model *m, uint32_t e, term_t t);
/* Executes the solver's assignment; refutes it where an encoded guard or a HOLDS is false. */
enum solve_verdict model_refine(void *ctx, struct solve *q);

/* -- model_asleep.c -- */
/* the literal of the atom ASLEEP e */
lit_t model_asleep(struct model *m, uint32_t e);

/* -- model_query.c -- */
/* solve_check() until no guard fails that is not encoded: these are encoded in between */
enum sat_result model_check(
	struct model *m, const struct vec_u32 *assume, const struct solve_limits *sl);
/* the solver's assignment into m->linearization */
void model_linearize(struct model *m);

/* -- model_bound.c -- */
/* Appends the assumptions for at most k switches; k <= max. */
void model_bound_assume(struct model *m, uint32_t max, uint32_t k, struct vec_u32 *assume);
/* Encodes orders that were added since. */
void model_bound_more(struct model *m);
bool model_bound_in_core(const struct model *m);
/* in the solver's assignment: the segment of an executed event */
uint32_t model_segment(const struct model *m, uint32_t e);

/* -- static_refute.c -- */
/* No linearization of the whole trace satisfies the query: its own events, their locks and
 * must-happen-before contradict it. */
bool static_refutes(struct facts *f, const struct mhb *mhb, const struct query *q);

/* -- minimize.c -- */
/* A linearization from rank `from` on is made shorter, by execution. */
struct shortening {
	struct facts *f;
	struct mhb *mhb;
	struct sim *sim;
	uint32_t from;
};
/* Removes events and switches from a linearization that satisfies the query, as far as executing it
 * shows. */
void shorten_witness(const struct shortening *s, const struct query *q, struct vec_u32 *events);
/* shorten_witness(), and then asks the model for fewer switches; `assume` is the query as
 * assumptions. */
void minimize_witness(
	struct model *m, const struct query *q, const struct vec_u32 *assume, struct vec_u32 *line);
uint32_t count_switches(const struct ctp *c, const struct vec_u32 *line);
/* A linearization from s->from on that must satisfy the query: BUG() if it cannot be executed. */
void assert_witness(const struct shortening *s, const struct query *q, const struct vec_u32 *events);
/* Fills *w with the events before s->from, as observed, and these events, with what they read. */
void fill_witness(const struct shortening *s, enum model_kind kind, const struct vec_u32 *events,
	struct witness *w);

#endif
