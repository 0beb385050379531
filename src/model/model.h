/*
 * Questions about the linearizations of a concurrent trace program, and answers by the solver
 * (ENCODING.md; docs/prediction.md).
 *
 * A *query* is a conjunction of clauses over atoms:
 *	RUN e         e was executed
 *	AT e          e's thread stands before e: everything before e in it was executed, e was not. (A
 *	              guard before e was executed, so it holds.)
 *	BEFORE a b    a comes before b; both are executed, or b's thread stands AT b and a is executed
 *	HOLDS t       a term of one bit over symbols of reads that are executed, or stand AT: of a read
 *	              that is AT, the symbol has the value that it would get now. If some read is
 *	              neither, the atom is false, also when it is negated
 * possibly negated. The answer is a witness (a linearization, as events in order), or that there is
 * none, or why it is not known.
 *
 * A model is built once for a window of the trace and asked many times. The window is a range of the
 * observed order: what lies before it has happened as observed, what lies behind it does not happen.
 * Windows need ctp.order_exact; else only the whole trace can be asked.
 *
 * Every witness is simulated before anybody sees it: a wrong one is our BUG.
 */
#ifndef HEDDLE_MODEL_MODEL_H
#define HEDDLE_MODEL_MODEL_H

#include "extract/ctp.h"

enum atom_kind { ATOM_RUN, ATOM_AT, ATOM_BEFORE, ATOM_HOLDS };
struct atom {
	uint8_t kind; /* enum atom_kind */
	bool negated;
	uint32_t a, b;
	term_t term;
};

struct query {
	VEC(struct atom) atoms;
	struct vec_u32 clauses; /* ends of clauses in atoms */
};
void query_release(struct query *q);
void query_clear(struct query *q);
/* A clause of one atom; or atoms one by one, then the end of the clause. */
void query_run(struct query *q, uint32_t e);
void query_at(struct query *q, uint32_t e);
void query_before(struct query *q, uint32_t a, uint32_t b);
void query_holds(struct query *q, term_t t);
void query_add(struct query *q, struct atom a);
void query_end_clause(struct query *q);

enum model_kind {
	MODEL_CTP,     /* values are what the linearization makes them */
	MODEL_MCM,     /* maximal causal model (§7): every read has its recorded value, but for
	                  those that only assertions depend on */
	MODEL_CONTROL, /* control only: values do not matter, guards hold (§7): over-approximates */
};

struct model_limits {
	double seconds;   /* for one query; 0 = 10 */
	double z3_seconds;
	uint64_t memory;  /* of the process, in bytes; 0 = no limit. An asker keeps no models that go
			     beyond it, and makes none */
	int32_t switches; /* context bound (§6); negative: none */
	const char *dump; /* folder for each query as SMT-LIB; NULL */
	bool fold;        /* merged runs: alternatives that begin alike have that once. For
			     queries of RUN, AT and HOLDS that name one alternative of a thread at
			     most; switches are not counted */
};

enum model_answer {
	ANSWER_NO,      /* there is none */
	ANSWER_YES,     /* witness */
	ANSWER_UNKNOWN, /* why */
};

struct witness {
	struct vec_u32 events;   /* executed, in order; the last of each thread is followed by what it
				    stands before */
	VEC(struct witness_value { uint32_t access; u128 value; }) values; /* of what was
				    read inside the window; before it everything is as recorded */
	uint32_t switches;
};
void witness_release(struct witness *w);

struct model_result {
	enum model_answer answer;
	bool bounded;   /* NO, but only for this window or this number of switches */
	const char *why; /* UNKNOWN; static */
	struct witness witness; /* YES: with few switches */
	const char *stage; /* "static", "lemma", "lazy", "eager", "z3" */
};
void model_result_release(struct model_result *r);

struct model;
/* Of the events with rank in [from, to) of the observed order; the whole trace: 0, UINT32_MAX. */
struct model *model_new(const struct ctp *c, enum model_kind kind, uint32_t from, uint32_t to);
void model_free(struct model *m);
bool model_has(const struct model *m, uint32_t event);
void model_ask(struct model *m, const struct query *q, const struct model_limits *lim,
	struct model_result *out);

/*
 * Asks windows of growing width around the events of the query, then the whole trace if that has at
 * most `whole` events; keeps the models that it made. The answer NO is `bounded` unless the window was
 * the whole trace.
 */
struct asker;
struct mhb;
struct asker *asker_new(const struct ctp *c, enum model_kind kind, const struct model_limits *lim,
	uint32_t whole);
/* The same on clocks that are there: they and the facts that they rest on are shared, so they must
 * live longer. One asker at a time. */
struct asker *asker_on(
	struct mhb *mhb, enum model_kind kind, const struct model_limits *lim, uint32_t whole);
void asker_free(struct asker *a);
/* for each model that is asked from now on */
void asker_seconds(struct asker *a, double seconds);
/* Drops the models that it keeps; those that are needed again are made again. */
void asker_drop(struct asker *a);
/* bytes of this process that are in memory */
uint64_t asker_memory(void);
void asker_ask(struct asker *a, const struct query *q, struct model_result *out);
struct asker_stats {
	uint64_t queries, yes, no, bounded, unknown;
	uint64_t by_static, by_lemma, lazy, eager, z3;
	uint32_t widest; /* events in the widest window that was needed */
	uint64_t dropped; /* models, for want of memory */
};
const struct asker_stats *asker_stats(const struct asker *a);

/* -- what needs no solver (mhb.c): from thread order, create, join, once and barriers -- */

struct mhb *mhb_new(const struct ctp *c);
void mhb_free(struct mhb *m);
/* a is executed before b in every linearization that has b. O(1). */
bool mhb_before(const struct mhb *m, uint32_t a, uint32_t b);
/* The exclusive and shared regions that e stands in, innermost last; AT e counts as inside of those
 * that begin before it. */
void mhb_held(const struct mhb *m, uint32_t e, struct vec_u32 *regions);
/* The two can stand AT at once as far as order and common locks say. */
bool mhb_co_enabled(const struct mhb *m, uint32_t a, uint32_t b);

#endif
