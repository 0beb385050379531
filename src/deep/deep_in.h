/*
 * Inside of deep.h: what its files share. One struct deep for one search.
 *
 *  - runs.c makes runs of the real program and extracts them all in the same manner
 *  - stutter.c takes the rounds of waiting loops out of a run
 *  - paths.c is the tree of what threads are known to do
 *  - flips.c makes questions of a model, and schedules of answers
 */
#ifndef HEDDLE_DEEP_IN_H
#define HEDDLE_DEEP_IN_H

#include "deep/deep.h"
#include "deep/paths.h"
#include "predict/merge.h"
#include "predict/observed.h"
#include "predict/property.h"
#include "predict/spin.h"
#include "trace/trace.h"

struct deep_run {
	uint32_t number; /* from 1 */
	char *dir;       /* its trace */
	struct finding *plan; /* its schedule as it was wanted; NULL: the first run */
	uint32_t fate;   /* enum sched_fate */
	bool diverged;
	char *why;       /* of the divergence */
	struct trace *t;
	struct ctp *c;   /* NULL: not extracted yet, or again */
	bool fresh;      /* it brought a path */
	bool predicted;  /* alone */
};

/* A thread stands at a place where it may go another way than those that are known. */
struct flip {
	uint64_t node; /* of paths.h */
	uint32_t ways; /* that were known then */
	uint32_t thread, event; /* in the model that was asked */
	bool end;      /* not another way: the path is to go on where it was cut off */
	bool fails;    /* the other way leads to a failure */
	bool fresh;    /* it leads to code that no run has seen */
	struct finding *plan;
	uint32_t cost;
};

struct flips { /* a VEC */
	struct flip *at;
	uint32_t n, cap;
};

struct deep {
	const struct deep_options *opt;
	struct deep_stats *st;
	double started, deadline; /* of the monotonic clock; 0 = none */
	char *image;
	struct terms *ts;         /* of all runs */
	struct merge_uses uses;
	struct spins *spins;
	VEC(struct deep_run) runs;
	struct paths paths;
	struct flips queue;       /* flips that wait for their run */
	struct map asked;         /* node, ways -> 1: in one run alone */
	struct map told;          /* fingerprints of findings */
	struct map limits;        /* hash of a sentence -> 1 */
	bool incomplete;          /* a limit that forbids a proof */
};

/* ---- driver (deep.c) ---------------------------------------------------------------------- */

/* Each sentence once. `fatal`: what is found is not all then. */
void deep_limit(struct deep *d, bool fatal, const char *fmt, ...) PRINTF(3, 4);
bool deep_over(const struct deep *d); /* stopped, or a budget is spent */

/* ---- runs.c --------------------------------------------------------------------------------- */

/* Runs the program under the plan (NULL: in the order of the enforcing runtime), recorded. The plan
 * becomes the run's. -1 after error_(). */
int runs_make(struct deep *d, struct finding *plan);
/* Opens the trace of the last run and extracts it, and all others too if bytes are shared now that were
 * not. -1 after error_(). */
int runs_take_in(struct deep *d, struct deep_run *r);
void runs_release(struct deep *d);

/* ---- stutter.c ------------------------------------------------------------------------------ */

/* Takes out of every thread the rounds of waiting loops that did not end them. */
void stutter_remove(struct ctp *c, struct spins *spins);

/* ---- flips.c -------------------------------------------------------------------------------- */

/* Asks each guard of the run at which only one way is known, and queues what has a witness. */
void flips_of_run(struct deep *d, const struct deep_run *r);
void flip_release(struct flip *f);

#endif
