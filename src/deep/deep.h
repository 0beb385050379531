/*
 * From one recorded run of a program to all its schedules, for the same input.
 *
 * A run shows one *path* of each thread: its events and the outcomes of its guards. Prediction
 * covers all interleavings of these paths. Any other behaviour needs a thread that leaves its known
 * paths, which happens at a guard that fails. A *flip* is a linearization in which a guard is
 * reached and fails. Its witness is a schedule; the real program is run under that schedule and
 * recorded, and the new trace shows a path that no earlier run has.
 *
 * Paths are kept for each thread. The runs are merged into one model (ctp/merge.h) in which
 * each thread has its known paths as alternatives. A query on the merged model combines any
 * alternatives, one for each thread: can thread T be at a guard and take an outcome that none of
 * its known paths with the same beginning takes?
 *
 * When no flip is left, every run of the program with this input is a linearization of the model.
 * Proof: take a run, and its longest prefix that is a linearization. If the prefix is not the whole
 * run, some thread leaves all its known paths after it, at a guard that fails. The model has that
 * flip, so it would have been found. Hence the number of runs grows with the paths of single
 * threads, not with their combinations, and predictions on the model hold for all schedules. The
 * start argument and the result of a thread are values that other threads read and write, like
 * shared memory.
 *
 * These outcomes are queried like those of branches:
 *  - FIX, DEREF, CALL: another value, address, function
 *  - a try that failed may succeed and the reverse; a wait that timed out may be woken
 *  - a path that was cut off (the run ended by a failure elsewhere, a deadlock, a limit): a
 *    linearization in which the thread executes all its known events and continues
 * ASSERT and DIVISOR are not queried: prediction does that, and a thread that fails does not
 * continue.
 *
 * A loop that only waits (facts/spin.h) would give one path for each number of rounds. Paths that
 * differ only in such rounds are one path (ctp/stutter.h). Where the loop has several exits,
 * paths with and without a round are different.
 *
 * Queries on single runs come first because they are cheap; the merged model is queried when they
 * give no new run. Where a run cannot be merged or a query is not decided there is no proof, and
 * `limits` has the reason.
 */
#ifndef HEDDLE_DEEP_DEEP_H
#define HEDDLE_DEEP_DEEP_H

#include "base/vec.h"
#include "predict/predict.h"
#include "replay/replay.h"

struct deep_options {
	/* exe, argv, cwd, input, exclude, image (NULL: built here), seconds */
	struct replay_options run;
	/* found() gets each finding once (by fingerprint), before its replay. seconds: for one call
	 * */
	struct predict_options predict;
	double seconds;      /* for the whole search; 0 = no limit */
	uint64_t runs;       /* limit for this call; 0 = no limit */
	uint64_t max_events; /* of the merged model; a larger one is not queried; 0 = 6000 */
	uint32_t jobs;
	const char *dir;     /* `.heddle/deep`: traces and frontier; created if missing */
	char *const *recorded; /* directories of recorded runs, with which the search is compared: their
				  input may have changed since. A resumed search has its own */
	uint32_t nrecorded;
	bool resume;         /* continue the search in `dir`; else its contents are removed */
	bool only_paths;     /* no prediction: for tests */
	const volatile int *stop; /* set by a signal handler: end soon, keep everything; may be NULL */
	void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t of);
	void *ctx;
};

struct deep_stats {
	uint64_t runs, redundant; /* runs made; runs among them without a new path */
	uint64_t paths, threads;  /* different paths, without stuttering; threads that have them */
	uint64_t asked, flips, impossible, unknown; /* queries, by answer */
	uint64_t open;            /* waiting flips and undecided queries: 0 if complete */
	uint64_t failed;          /* runs that did not exit normally */
	double seconds;
	bool complete;            /* every schedule of this input is covered */
	bool merged;              /* all runs are in one model */
	bool changed;             /* the recorded run had another input: a limit says so */
	VEC(char *) limits;       /* sentences: why the search is incomplete, or its assumptions */
};
void deep_stats_release(struct deep_stats *s);

/*
 * Searches until no flip is left or the budget is spent. `dir` holds the frontier (SQLite): program
 * and arguments, the runs with their schedules, waiting flips, findings. It is written as the
 * search proceeds, so that `resume` continues after a kill. A frontier of another program,
 * arguments, input or version of heddle is an error. 0, or -1 after error_().
 */
int deep(const struct deep_options *opt, struct deep_stats *st);

/* For tests: deep(), then calls fn with the merged model if there is one. */
int deep_with(const struct deep_options *opt, struct deep_stats *st,
	void (*fn)(void *ctx, const struct ctp *model), void *ctx);

#endif
