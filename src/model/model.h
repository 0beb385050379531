/*
 * Queries about the linearizations of a concurrent trace program (Fusion, §3 and §4), and their
 * answers by the solver; docs/prediction.md has the encoding.
 *
 * A *query* is a conjunction of clauses over atoms, possibly negated:
 *	RUN e         e was executed
 *	AT e          e's thread stands before e: its events before e were executed, e was not. (A
 *	              guard before e was executed, so it holds.)
 *	ASLEEP e      AT the wake-up e, and no signal has ended the wait: each signal since its WAIT
 *	              woke another thread, and there was no broadcast. Only as a clause of its own,
 *	              and not negated
 *	BEFORE a b    a comes before b; both are executed, or b's thread stands AT b and a is
 *	              executed
 *	HOLDS t       a term of one bit is 1. Each read whose symbol is in t is executed, or its
 *	              thread stands AT it; the symbol then has the value that the read would get
 *	              now. If a read is neither, the atom is false, also when it is negated
 *	SPINS e t     AT e, and t is 1 where each read of the thread from e on has the value that
 *	              its cell has now: what a round of a loop would read that no thread disturbs.
 *	              Only as a clause of its own, and not negated
 * The answer is a witness (a linearization, as events in order), or that no linearization satisfies
 * the query, or unknown with the reason.
 *
 * A model is built once for a window of the trace and asked many times. The window is a range of
 * the observed order: events before it were executed as observed, events behind it are not executed.
 * Windows need ctp.order_exact; without it only the whole trace can be asked.
 *
 * Every witness is executed (simulate.h) before it is returned: a wrong one is a BUG().
 *
 * Models, askers and clocks live on the heap of their owner and refer to the trace program.
 */
#ifndef HEDDLE_MODEL_MODEL_H
#define HEDDLE_MODEL_MODEL_H

#include "base/vec.h"
#include "ctp/ctp.h"

enum atom_kind { ATOM_RUN, ATOM_AT, ATOM_ASLEEP, ATOM_BEFORE, ATOM_HOLDS, ATOM_SPINS };
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
/* Each of these appends a clause of one atom. */
void query_run(struct query *q, uint32_t e);
void query_at(struct query *q, uint32_t e);
void query_asleep(struct query *q, uint32_t e);
void query_before(struct query *q, uint32_t a, uint32_t b);
void query_holds(struct query *q, term_t t);
void query_spins(struct query *q, uint32_t e, term_t t);
/* A clause of several atoms: the atoms one by one, then its end. */
void query_add(struct query *q, struct atom a);
void query_end_clause(struct query *q);

enum model_kind {
	MODEL_CTP, /* each read has the value of the write that it reads from (§4) */
	MODEL_MCM, /* maximal causal model (§7): every read has its recorded value, except reads
		      that only assertions use */
	MODEL_CONTROL, /* control only (§7): all guards hold, whatever the values; over-approximates
			*/
};

enum model_encoding {
	ENCODING_ORDER, /* clauses and orders, in windows (model_internal.h) */
	ENCODING_CSSA,  /* the formula of the paper, over the whole trace (cssa.h) */
};

struct model_limits {
	double seconds;   /* for one query; 0 = 10 */
	uint32_t decide;  /* a trace of up to that many events is asked as a whole if windows do not
			     decide the query */
	uint64_t conflicts; /* of the solver in one query; 0: no limit. Unlike a time it is the same in
			       each run and on each machine */
	double z3_seconds;
	uint64_t memory;  /* of the process, in bytes; 0 = no limit. Beyond it an asker drops its
			     models and builds no more */
	int32_t switches; /* context bound (§6); negative: none */
	const char *dump; /* folder for each query as SMT-LIB; NULL */
	enum model_encoding encoding;
	bool fold;        /* merged runs: encode a common prefix of alternatives once. For queries
			     of RUN, AT and HOLDS that name at most one alternative of a thread;
			     switches are not counted */
};

enum model_answer {
	ANSWER_NO,      /* no linearization satisfies the query */
	ANSWER_YES,     /* witness */
	ANSWER_UNKNOWN, /* why */
};

struct witness {
	struct vec_u32 events; /* executed, in order; each thread stands before its next event */
	VEC(struct witness_value {
		uint32_t access;
		u128 value;
	}) values; /* of reads inside of the
window; before it every read has its recorded value */
	uint32_t switches;
};
void witness_release(struct witness *w);

struct model_result {
	enum model_answer answer;
	bool bounded;   /* NO, but only for this window or this number of switches */
	const char *why;        /* UNKNOWN: the reason; static */
	struct witness witness; /* YES: with few switches */
	const char *stage;      /* that answered: "static", "lemma", "lazy", "eager", "z3", "cssa" */
};
void model_result_release(struct model_result *r);

struct model;
void model_free(struct model *m);
bool model_has(const struct model *m, uint32_t event);
void model_ask(struct model *m, const struct query *q, const struct model_limits *lim,
	struct model_result *out);

/*
 * An asker asks windows of growing width around the events of a query, or the whole trace if that
 * has at most `whole` events. It keeps the models of windows for later queries. The answer NO is
 * `bounded` unless the window was the whole trace.
 */
struct asker;
struct mhb;
struct asker *asker_new(const struct ctp *c, enum model_kind kind, const struct model_limits *lim,
	uint32_t whole);
/* The same with clocks and facts of the caller, who keeps them longer than the asker. One asker at
 * a time. */
struct asker *asker_on(
	struct mhb *mhb, enum model_kind kind, const struct model_limits *lim, uint32_t whole);
void asker_free(struct asker *a);
/* Sets the limit for one query from now on. */
void asker_seconds(struct asker *a, double seconds);
/* Drops the models that the asker keeps. A model that is needed again is built again. */
void asker_drop(struct asker *a);
/* Resident memory of this process in bytes. */
uint64_t asker_memory(void);
/* The limit of each of several processes that are forked now, if `memory` is for all of them: what
 * they share, and a part of the rest. */
uint64_t asker_memory_share(uint64_t memory, uint32_t processes);
void asker_ask(struct asker *a, const struct query *q, struct model_result *out);
struct asker_stats {
	uint64_t queries, yes, no, bounded, unknown;
	uint64_t lazy, eager, z3;
	uint32_t widest; /* events in the widest window that was needed */
	uint64_t dropped; /* models that were dropped because memory was short */
};
const struct asker_stats *asker_stats(const struct asker *a);

/* -- must-happen-before (mhb.c), from thread order, create, join, once and barriers: no solver --
 */

struct mhb *mhb_new(const struct ctp *c);
void mhb_free(struct mhb *m);
/* a is executed before b in every linearization that has b. O(1). */
bool mhb_before(const struct mhb *m, uint32_t a, uint32_t b);
/* Appends the critical sections, exclusive and shared, that e lies in, innermost last: those of its
 * thread that begin before e and do not end before it. */
void mhb_held(const struct mhb *m, uint32_t e, struct vec_u32 *regions);
/* Must-happen-before and common locks do not exclude that two threads stand AT a and b at once. */
bool mhb_co_enabled(const struct mhb *m, uint32_t a, uint32_t b);
/* Derived critical sections (facts_derive_sections()) exclude that two threads stand there at once. */
bool mhb_derived_exclude(const struct mhb *m, uint32_t a, uint32_t b);

#endif
