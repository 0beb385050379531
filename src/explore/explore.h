/*
 * Symbolic execution of all threads (paper 001): explores every path of a program, for all values
 * of its symbolic inputs and all schedules of its threads, within budgets.
 *
 * One machine executes one path at a time. Where a condition or the choice of a thread has several
 * possible outcomes, the path continues with one, and the others become states in the frontier
 * (frontier.h); a search strategy chooses the next state. A path ends by exit, by a fault, in a
 * deadlock, or it is cut off: by a budget, by something not modelled, by an unknown answer of the
 * solver. Each end has an outcome (outcome.c): a test case with concrete inputs and a schedule.
 *
 * When the frontier is empty and no path was cut off or incomplete, all paths have been explored.
 */
#ifndef HEDDLE_EXPLORE_EXPLORE_H
#define HEDDLE_EXPLORE_EXPLORE_H

#include "explore/coverage.h"
#include "explore/inputs.h"
#include "finding/testcase.h"

#include <signal.h>

struct explore;
struct explore_path;
struct from;        /* from.h */
struct assumptions; /* assumption.h */

enum explore_search {
	EXPLORE_COVER,  /* a state before code that is not covered yet; else at random */
	EXPLORE_DFS,    /* depth first: the newest state */
	EXPLORE_BFS,    /* shortest path first: the state with the fewest decisions */
	EXPLORE_RANDOM, /* any state, with equal probability */
};

enum explore_tests { EXPLORE_TESTS_ALL, EXPLORE_TESTS_FAILING, EXPLORE_TESTS_NONE };

struct explore_options {            /* 0: no limit, or the default */
	enum explore_search search;
	enum exec_switch switches;
	uint64_t seed;              /* of the random choices */
	double seconds;
	uint64_t max_paths, max_depth, max_instructions; /* depth, instructions: of one path */
	uint64_t max_memory;        /* bytes of saved states */
	uint64_t max_branches;      /* conditional branches of the program on one path */
	uint32_t preemptions;       /* limit of switches from a ready thread; UINT32_MAX: none */
	bool spurious;              /* waits on condition variables may end without a signal */
	bool all_orders;            /* no reduction: also orders that differ in independent steps only */
	bool no_merge;              /* also paths to states that another order has reached */
	bool no_summaries;          /* execute the models of string functions, a fork per byte */
	double solver_seconds;      /* for one query */
	const char *dump_smt;
	const struct exec_stub *stubs;
	uint32_t nstubs;
	struct inputs *inputs;
	const struct assumptions *assume; /* conditions of --assume; NULL = none */
	const char *program;        /* path and identity, for test cases */
	uint64_t identity;
	const char *out;            /* directory of test cases and of the frontier; NULL = none */
	enum explore_tests tests;
	bool resume;
	bool (*branch)(void *ctx, struct machine *m, struct thread *t, uint32_t edge); /* exec.h; or NULL */
	struct from *from;          /* initial places of the threads; NULL = main */
	const char *places;         /* text of `from` with its options, for --resume; or NULL */
	const volatile sig_atomic_t *interrupted;
	/* progress is called every 0.2 seconds, ended at the end of a path; may be NULL */
	void (*progress)(void *ctx, struct explore *ex);
	void (*ended)(void *ctx, struct explore *ex, const struct explore_path *path);
	void *ctx;
};

enum explore_end {
#define END(id, name, text) END_##id,
#include "explore/ends.def"
#undef END
	EXPLORE_N_ENDS
};

struct explore_path {
	uint64_t number;
	enum explore_end end;
	enum fault fault;           /* FAULT_NONE: none */
	const char *kind;           /* exec_word(): the fault, or the reason of the cut; NULL */
	const char *file;           /* the place, or NULL */
	uint32_t line;
	bool incomplete;
	bool is_new;                /* the first path with this fault at this place */
	const char *report;         /* of a fault */
	const char *test;           /* file of the test case, or NULL */
	const struct testcase *tc;  /* NULL: the solver gave no model of the path */
	uint64_t depth, instructions, threads;
};

struct explore_stats {
	uint64_t paths;             /* that ended, without pruned ones */
	uint64_t ends[EXPLORE_N_ENDS];
	uint64_t incomplete;        /* paths with a concretized value, an unknown query, … */
	uint64_t states, most_states; /* in the frontier: now, maximum */
	uint64_t bytes, most_bytes; /* of saved states: now, maximum */
	uint64_t infeasible;        /* outcomes that the path condition excludes */
	uint64_t forks, switches, instructions;
	uint64_t undecided;         /* times that loops may have no end (loops.c) */
	uint64_t unwritten;         /* test cases that could not be written */
	uint64_t assumed, met;      /* paths on which --assume was evaluated; on which it can hold */
	uint32_t threads;           /* maximum of a path */
	double seconds;
	const struct ask_stats *ask;
};

struct explore_finding {
	enum fault fault;
	char *file, *report;
	char *test;                 /* file of the test case, or NULL */
	struct testcase *tc;        /* NULL: the solver gave no model of the path */
	uint32_t line;
	uint64_t key, count;        /* hash of fault and place; number of paths with it */
	bool incomplete;
};

struct explore_reason { /* why paths are incomplete or cut off */
	char *why;
	uint64_t count;
};

/* The answer to exec_options.pick where a test case has none: the current thread, if it is ready
 * and its slice has not ended; else the next higher ready thread, else the lowest. Ends no wait if
 * a thread is ready. */
uint32_t explore_default_pick(
	const struct machine *m, const uint32_t *ready, uint32_t n, enum exec_pick why);

/* An exploration of main(argv); NULL after error_(). The program must outlive it. */
struct explore *explore_new(const struct ir_program *p, int argc, char *const *argv,
	char *const *envp, const struct explore_options *opt);
/* Runs until the frontier is empty or a budget ends it. 0, also with findings; -1 after
 * error_(). */
int explore_run(struct explore *ex);
void explore_free(struct explore *ex);

const struct explore_stats *explore_stats(struct explore *ex);
const struct explore_finding *explore_findings(const struct explore *ex, uint32_t *n);
const struct explore_reason *explore_reasons(const struct explore *ex, uint32_t *n);
struct coverage *explore_coverage(struct explore *ex);
/* True if every path was explored to its end: no budget was used up, no query was unknown. It shows
 * nothing if explore_excluded(). */
bool explore_complete(const struct explore *ex);
/* Whether the program may declare symbolic inputs itself, by heddle_input(). */
bool explore_has_inputs(const struct explore *ex);
/* Whether a path has read a clock, or the program reads the counter of cycles. A path has one time at
 * each of its steps. */
bool explore_reads_clock(const struct explore *ex);
/* Why the exploration examined nothing though all its paths have ended: no input meets the
 * assumptions; NULL if one does. */
const char *explore_excluded(const struct explore *ex);
/* The budget that ended the exploration, or NULL. */
const char *explore_stopped(const struct explore *ex);

#endif
