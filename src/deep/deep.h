/*
 * Flips become new runs: from one run of a program to all its schedules, for that input.
 *
 * A run shows one *path* of each thread. What all interleavings of these paths do, prediction
 * knows from the run's concurrent trace program. Another behaviour needs a thread that goes
 * another way: some guard of its path that fails. A *flip* is a guard that some linearization
 * reaches while its condition does not hold. Its witness is a schedule for the real program; run,
 * while it is recorded, it shows a path that nobody has seen.
 *
 * Paths are gathered thread by thread: the runs are merged into one model (extract/merge.h) in
 * which each thread has its paths as alternatives, and that model is asked for the next flip: is
 * there a linearization of any paths that are known, one for each thread, in which thread T stands
 * at a guard and goes a way that none of its known paths with the same beginning goes?
 *
 * When there is none, every run of the program with this input is a linearization of the model.
 * For suppose that one is not: its longest prefix that is one ends where a thread leaves all its
 * known paths, at a guard that fails, and that would have been found. So the number of runs is
 * that of the paths of single threads, not that of their combinations; and what prediction says of
 * the model is said of all schedules. What a thread is started with and what it returns are values
 * that others read, like shared memory.
 *
 * Conditions of guards are not all that a thread's way depends on. These are asked in the same
 * manner:
 *  - FIX, DEREF, CALL: another value, address, function
 *  - a try that failed could succeed, one that succeeded could fail; a wait that timed out could be woken
 *  - a path that was cut off (the run ended by a failure elsewhere, a deadlock, a limit): a linearization in
 *    which the thread does all that is known of it, and goes on
 * ASSERT and DIVISOR are not asked: prediction does that, and what fails goes nowhere.
 *
 * Loops that only wait (facts/spin.h) would give a path for each number of rounds. Two paths
 * that differ in such rounds only are the same (extract/stutter.h), whatever their number; where a
 * loop has several ways out, in their number but not in whether there was one.
 *
 * Cheap questions come first: of one run alone; the merged model is asked when these bring nothing
 * new. Where a run cannot be merged, or a question is not answered, there is no proof, and
 * `limits` says so.
 */
#ifndef HEDDLE_DEEP_DEEP_H
#define HEDDLE_DEEP_DEEP_H

#include "predict/predict.h"
#include "replay/replay.h"

struct deep_options {
	struct replay_options run; /* exe, argv, cwd, input, exclude, image (NULL: it is built), seconds */
	struct predict_options predict; /* found() is told of each finding once: by fingerprint; it is not
					   confirmed yet. seconds: for one call */
	double seconds;      /* for everything; 0 = no limit */
	uint64_t runs;       /* at most in this call; 0 = no limit */
	uint64_t max_events; /* in the merged model; beyond it runs stay alone; 0 = 6000 */
	uint32_t jobs;
	const char *dir;     /* `.heddle/deep`: traces and frontier; made if need be */
	bool resume;         /* go on with what is there; else that is removed */
	bool only_paths;     /* predict nothing: for tests */
	volatile int *stop;  /* set by a signal: end soon, keep everything; may be NULL */
	void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t of);
	void *ctx;
};

struct deep_stats {
	uint64_t runs, redundant; /* made; of these without a new path */
	uint64_t paths, threads;  /* different ones, up to stuttering; threads that have them */
	uint64_t asked, flips, impossible, unknown;
	uint64_t open;            /* flips and questions that are left: 0 if complete */
	uint64_t failed;          /* runs that ended in a failure */
	double seconds;
	bool complete;            /* every schedule of this input is covered */
	bool merged;              /* all runs are in one model */
	VEC(char *) limits;       /* sentences: why it is not complete, or only within bounds */
};
void deep_stats_release(struct deep_stats *s);

/*
 * The frontier is in `dir` (SQLite): which program and arguments, the runs made (their schedules
 * and traces), flips that wait for their run, questions answered. It is written as things happen:
 * after a kill, `resume` goes on where it was. One that belongs to another program, arguments,
 * input or heddle is an error that says what to do. 0, or -1 after error_().
 */
int deep(const struct deep_options *opt, struct deep_stats *st);

/* For tests: calls fn with the model of all runs, when it is complete or the budget is spent. */
int deep_with(const struct deep_options *opt, struct deep_stats *st,
	void (*fn)(void *ctx, const struct ctp *model), void *ctx);

#endif
