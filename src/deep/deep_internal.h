/*
 * Private to src/deep. One struct deep holds the state of one search (deep.c).
 *
 *  - runs.c runs the real program under schedules and extracts the traces
 *  - paths.c is the tree of the known paths of all threads
 *  - merged_model.c merges the runs; outcome_probes.c adds outcomes of synchronization that no run
 *    has
 *  - flip_queries.c collects the queries on a model; flips.c has them solved and queues the flips
 *  - recorded_run.c compares the recorded runs with the search
 *  - deep_findings.c reports failures of runs and predictions
 *  - frontier.c keeps the state on disk
 */
#ifndef HEDDLE_DEEP_INTERNAL_H
#define HEDDLE_DEEP_INTERNAL_H

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "ctp/merge.h"
#include "ctp/stutter.h"
#include "deep/deep.h"
#include "deep/paths.h"
#include "explain/observed.h"
#include "explain/violation.h"
#include "facts/fails.h"
#include "image/image.h"
#include "trace/trace.h"

struct deep_run {
	uint32_t number; /* from 1 */
	char *dir;       /* its trace */
	struct finding *plan; /* the schedule it was started with; NULL: the first run */
	uint64_t node;   /* of the flip that the run was made for */
	uint32_t ways;   /* known at that node when the flip was found */
	uint32_t fate;   /* enum sched_fate */
	uint64_t hash;   /* of its points, in order; 0: the order was not controlled */
	bool diverged;
	char *why;       /* reason of the divergence; NULL if it did not diverge */
	/* The executed schedule. Empty if it had too many segments, or if the enforcing runtime did
	 * not control the whole order. */
	VEC(struct sched_switch) switches;
	VEC(struct sched_thread) names;
	bool misused;    /* the runtime saw a misuse: */
	uint32_t misuse; /* enum fault */
	struct trace *t;
	const struct ctp *c; /* NULL until it is extracted */
	bool fresh;      /* it has a path that earlier runs do not have */
	bool predicted;  /* prediction on this run alone is done */
	bool odd;        /* a thread left its known paths where no decision is modelled */
};

/* Can a thread take a way at a node of the path tree that is not known yet? */
struct flip_query {
	uint64_t node;   /* of paths.h */
	uint32_t ways;   /* that are known there */
	uint32_t event;  /* of the model */
	uint32_t place;  /* index of the event in its thread */
	bool runs;       /* query: the event is executed; else: its thread is at the event and */
	term_t holds;    /* this condition holds */
	bool fails;      /* the unknown way leads to a failure */
	bool fresh;      /* the unknown way leads to code that no run has executed */
};

struct flip_queries { /* a VEC */
	struct flip_query *at;
	uint32_t n, cap;
};

/* A flip query with a witness. Its schedule waits for a run. */
struct flip {
	uint64_t node;
	uint32_t ways;
	bool fails, fresh;
	struct finding *plan;
	uint32_t cost; /* events of the witness */
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
	struct image_file found;  /* if the options have no image */
	const struct image_file *image; /* that of the options, or `found` */
	bool guard;               /* freed blocks and the memory behind blocks are protected in runs */
	struct terms *ts;         /* of all runs */
	struct merge_uses uses;
	struct spins *spins;
	struct fails fails;
	struct bitset seen;       /* blocks with events, by hash */
	VEC(struct deep_run) runs;
	VEC(char *) recorded;     /* directories of the recorded runs */
	struct paths paths;
	struct flips queue;       /* flips that wait for a run */
	struct map asked;         /* node -> 1: queried on one run alone */
	struct map tried;         /* hash of node and ways -> 1: a run was made for it */
	const struct ctp *at;     /* the model of the findings that are reported now */
	struct map told;          /* fingerprints of reported findings */
	struct map limits;        /* hash of a sentence -> 1 */
	bool incomplete;          /* a limit excludes a proof */
	uint64_t made;            /* runs of this call */
	uint64_t left;            /* queries without an answer */
};

/* ---- deep.c ------------------------------------------------------------------------------- */

/* Adds a sentence to the limits, once. `fatal`: the search cannot be complete. */
void deep_limit(struct deep *d, bool fatal, const char *fmt, ...) PRINTF(3, 4);
bool deep_must_stop(const struct deep *d); /* interrupted, or the time is spent */

/* ---- deep_findings.c ---------------------------------------------------------------------- */

/* Predicts on c and reports the findings. `whole`: c is the merged model, so the limits of this
 * prediction are limits of the search. -1 after error_(). */
int deep_predict(struct deep *d, const struct ctp *c, bool whole);
/* Reports the failure that ended the run, if there is one. */
void deep_report_failure(struct deep *d, const struct deep_run *r);

/* ---- runs.c ------------------------------------------------------------------------------- */

/* Runs the program under the schedules of n flips and records it, up to opt->jobs at once. A plan
 * that is NULL stands for the default order of the enforcing runtime. The runs take over the plans.
 * Returns -1 after error_(); 1 if interrupted: no run is added and the caller keeps the plans. */
int runs_make(struct deep *d, struct flip *flips, uint32_t n);
/* Runs the schedule of the run again with protected memory, and does not record it: true if a thread
 * crashes because it uses a block that was freed, or memory behind one. No event shows that if one
 * thread does both. Adds a limit if that run does not show it either way. */
bool runs_uses_freed(struct deep *d, const struct deep_run *r);
/* Opens and extracts the traces of the runs from `first` on. When they share bytes that were not
 * shared before, all runs are extracted again and *again is set. -1 after error_(). */
int runs_extract(struct deep *d, uint32_t first, bool *again);
void runs_release(struct deep *d);

/* ---- recorded_run.c ----------------------------------------------------------------------- */

/* Adds a limit if a recorded run had another input than the search. There is a run. `ended`: the search
 * has come to its end, so that it has each path of the recorded run; else only their begin is
 * compared. */
void recorded_runs_compare(struct deep *d, bool ended);

/* ---- merged_model.c ----------------------------------------------------------------------- */

/* Merges all runs that fit into one model; `probes` adds the probes of outcome_probes.c. NULL:
 * there is no run, or the model is too large. Sets d->st->merged if all runs are in it. Free the
 * model with ctp_free() before the runs. */
const struct ctp *merged_model_new(struct deep *d, bool probes);
/* Adds a limit if a thread was created but has no event in any run: its paths cannot be queried. */
void merged_model_check_threads(struct deep *d, const struct ctp *c);

/* ---- outcome_probes.c --------------------------------------------------------------------- */

/* Adds an alternative of the thread of e to a model that is not finished: its events before e, then
 * e as an event of that kind. Returns the new thread; CTP_NONE if the model would have more than `max` events. */
uint32_t probe_add(struct ctp *c, uint32_t e, enum ctp_kind kind, uint64_t max);
/* Adds a probe for each outcome that no run has; false: opt->max_events is reached. */
bool probes_add_all(struct deep *d, struct ctp *c);

/* ---- flip_queries.c ----------------------------------------------------------------------- */

/* Queries on one run: the guards at which one way is known and which were not queried yet
 * (d->asked), in the order of their index in the thread. */
void flip_queries_of_run(struct deep *d, const struct ctp *c, struct flip_queries *out);
/* Queries on the merged model: every node at which another way is not excluded. */
void flip_queries_of_model(struct deep *d, const struct ctp *c, struct flip_queries *out);

/* ---- flips.c ------------------------------------------------------------------------------ */

struct ask_budget {
	uint64_t conflicts; /* of the solver for one query; 0 = no limit */
	double each, all; /* seconds for one query, and for all of them; 0 = no limit of its own */
	bool windows;     /* query windows around the event first; of a long run only these */
};
/* Solves the queries, in several processes if there are many, and queues those with a witness.
 * Undecided queries stay in qs. */
void flips_find(
	struct deep *d, const struct ctp *c, struct flip_queries *qs, struct ask_budget budget);
void flip_release(struct flip *f);
/* Removes queued flips that other runs have shown meanwhile, or for which a run was made. */
void flips_drop_settled(struct deep *d);
/* Takes up to `most` flips of different nodes from the queue: failures first, then new code, then
 * short witnesses. Returns their number. */
uint32_t flips_choose(struct deep *d, struct flip *out, uint32_t most);

#endif
