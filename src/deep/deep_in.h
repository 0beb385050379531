/*
 * Inside of deep.h: what its files share. One struct deep for one search.
 *
 *  - runs.c makes runs of the real program and extracts them all in the same manner
 *  - paths.c is the tree of what threads are known to do
 *  - order.c knows the order of a run from its schedule
 *  - model.c merges the runs; probe.c adds paths that a thread would go on if synchronization had
 *    another outcome
 *  - frontier.c keeps on disk what is known; workers.c spreads work over processes
 *  - questions.c finds what is to be asked of a model; flips.c asks, and makes schedules of answers
 */
#ifndef HEDDLE_DEEP_IN_H
#define HEDDLE_DEEP_IN_H

#include "deep/deep.h"
#include "base/bitset.h"
#include "deep/paths.h"
#include "extract/extract_fail.h"
#include "extract/merge.h"
#include "explain/observed.h"
#include "predict/property.h"
#include "extract/stutter.h"
#include "trace/trace.h"

struct deep_run {
	uint32_t number; /* from 1 */
	char *dir;       /* its trace */
	struct finding *plan; /* its schedule as it was wanted; NULL: the first run */
	uint64_t node;   /* of the flip that it was to show */
	uint32_t ways;
	uint32_t fate;   /* enum sched_fate */
	bool diverged;
	char *why;       /* of the divergence */
	/* what was run, as segments; empty if there were too many, or the order was not only ours */
	VEC(struct sched_switch) switches;
	VEC(struct sched_thread) names;
	bool misused;    /* something was used wrongly: */
	uint32_t misuse; /* enum finding_kind */
	struct trace *t;
	struct ctp *c;   /* NULL: not extracted yet, or again */
	bool fresh;      /* it brought a path */
	bool predicted;  /* alone */
	bool odd;        /* some thread goes another way for a reason that is not modelled */
};

/* A question: can a thread go another way at a node than those that are known? */
struct question {
	uint64_t node;   /* of paths.h */
	uint32_t ways;   /* that are known there */
	uint32_t event;  /* of the model */
	uint32_t place;  /* of the event in its thread */
	bool runs;       /* the event is to be executed; else its thread is to stand there, and */
	term_t holds;    /* this to hold */
	bool fails;      /* the other way leads to a failure */
	bool fresh;      /* it leads to code that no run has seen */
};

struct questions { /* a VEC */
	struct question *at;
	uint32_t n, cap;
};

/* A question that has a witness: a schedule that waits for its run. */
struct flip {
	uint64_t node;
	uint32_t ways;
	bool fails, fresh;
	struct finding *plan;
	uint32_t cost;
};

struct flips { /* a VEC */
	struct flip *at;
	uint32_t n, cap;
};

struct frontier;

struct deep {
	const struct deep_options *opt;
	struct frontier *frontier;
	struct deep_stats *st;
	double started, deadline; /* of the monotonic clock; 0 = none */
	char *image;
	struct terms *ts;         /* of all runs */
	struct merge_uses uses;
	struct spins *spins;
	struct fails fails;
	struct bitset seen;       /* blocks with events, by hash */
	VEC(struct deep_run) runs;
	struct paths paths;
	struct flips queue;       /* flips that wait for their run */
	struct map asked;         /* node -> 1: in one run alone */
	struct map tried;         /* node, ways -> 1: a run was made of it */
	const struct ctp *at;     /* whose findings are told now */
	struct map told;          /* fingerprints of findings */
	struct map limits;        /* hash of a sentence -> 1 */
	bool incomplete;          /* a limit that forbids a proof */
	uint64_t made;            /* runs of this call */
	uint64_t left;            /* questions that there was no time for */
};

/* ---- driver (deep.c) ---------------------------------------------------------------------- */

/* Each sentence once. `fatal`: what is found is not all then. */
void deep_limit(struct deep *d, bool fatal, const char *fmt, ...) PRINTF(3, 4);
bool deep_over(const struct deep *d); /* stopped, or the time is spent */

/* ---- runs.c --------------------------------------------------------------------------------- */

/* Runs the program under the plans of flips, recorded; a plan that is NULL: in the order of the enforcing
 * runtime. The plans become the runs'. Several at once, up to opt->jobs. -1 after error_(); 1 if
 * it was
 * stopped meanwhile: then there is no run, and the flips are the caller's still. */
int runs_make(struct deep *d, struct flip *flips, uint32_t n);
/* Opens the traces of the runs from `first` on and extracts them, and all others again if bytes are shared
 * now that were not. -1 after error_(). */
int runs_take_in(struct deep *d, uint32_t first, bool *again);
void runs_release(struct deep *d);

/* ---- model.c -------------------------------------------------------------------------------- */

/* All runs that fit in one model, with probes if wanted. NULL: it is too large, or there is none;
 * d->st->merged says whether all are in it. Free it with ctp_free(), before the runs. */
struct ctp *model_merge(struct deep *d, bool probes);
/* A limit for threads that were started and of which no run shows anything: nobody can be asked about
 * what they do. */
void model_unseen(struct deep *d, const struct ctp *c);

/* ---- probe.c -------------------------------------------------------------------------------- */

/* Another thread of the group: the events of t before e, then e as an event of that kind. CTP_NONE: it
 * has no place in `max` events. */
uint32_t probe_add(struct ctp *c, uint32_t e, enum ctp_kind kind, uint64_t max);
/* All that are missing at nodes with few ways; false: there is no room for them. */
bool probe_all(struct deep *d, struct ctp *c);

/* ---- questions.c ---------------------------------------------------------------------------- */

/* Of one run: each guard at which only one way is known, and that no run was asked about (d->asked). Those
 * that come early in their thread are first. */
void questions_of_run(struct deep *d, const struct ctp *c, struct questions *out);
/* Of the model of all runs: every node at which not all ways are known. */
void questions_of_model(struct deep *d, const struct ctp *c, struct questions *out);

/* ---- flips.c -------------------------------------------------------------------------------- */

struct ask_how {
	double each, all; /* seconds for a question, and for all of them; 0 = as long as there is */
	bool windows;     /* of a run: parts of it around the question first, and only those if it is long */
};
/* Asks them, by several processes if there are many; what has a witness is queued. What is not answered
 * stays in qs. */
void flips_ask(struct deep *d, const struct ctp *c, struct questions *qs, struct ask_how how);
void flip_release(struct flip *f);

#endif
