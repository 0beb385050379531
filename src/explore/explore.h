/*
 * Symbolic execution of all threads (paper 001): every path of a program, for all values of its
 * symbolic inputs and all schedules of its threads, within budgets.
 *
 * One machine runs one path at a time. Where a decision or the choice of a thread has several
 * possible outcomes, the others are kept in the frontier (frontier.h) as saved states; a search
 * strategy says which one goes on. A path ends by exit, by a fault, in a deadlock, or cut off: a
 * budget, something not modelled, a solver without an answer. Each end is an outcome (outcome.c): a
 * test case with concrete inputs and a schedule.
 *
 * When the frontier is empty and no path was cut off or incomplete, all paths have been seen.
 */
#ifndef HEDDLE_EXPLORE_EXPLORE_H
#define HEDDLE_EXPLORE_EXPLORE_H

#include "explore/coverage.h"
#include "explore/inputs.h"
#include "finding/testcase.h"

#include <signal.h>

struct explore;
struct explore_path;
struct from; /* from.h */

enum explore_search {
	EXPLORE_COVER,  /* states that stand before code not seen yet, then by chance */
	EXPLORE_DFS,    /* depth first: the newest state */
	EXPLORE_BFS,    /* shortest path first: the state with the fewest decisions */
	EXPLORE_RANDOM, /* any, with equal chances */
};

enum explore_tests { EXPLORE_TESTS_ALL, EXPLORE_TESTS_FAILING, EXPLORE_TESTS_NONE };

struct explore_options {            /* 0 everywhere: no limit, the default */
	enum explore_search search;
	enum exec_switch switches;
	uint64_t seed;              /* of the random choices */
	double seconds;
	uint64_t max_paths, max_depth, max_instructions; /* depth, instructions: of one path */
	uint64_t max_memory;        /* bytes of saved states */
	uint64_t max_branches;      /* conditional branches of the program on one path */
	uint32_t preemptions;       /* switches away from a thread that could go on; UINT32_MAX: any */
	bool all_orders;            /* no reduction: also orders that differ in independent steps only */
	bool no_summaries;          /* models of strings and numbers as they are, a fork a byte */
	double solver_seconds;      /* for one question */
	const char *dump_smt;
	const struct exec_stub *stubs;
	uint32_t nstubs;
	struct inputs *inputs;
	const char *program;        /* path and identity, for test cases */
	uint64_t identity;
	const char *out;            /* directory of test cases and of the frontier; NULL = none */
	enum explore_tests tests;
	bool resume;
	bool (*branch)(void *ctx, struct machine *m, struct thread *t, uint32_t edge); /* exec.h; or NULL */
	struct from *from;          /* where the threads stand at first; NULL = main */
	const char *places;         /* the same in words, with its options, for resuming; or NULL */
	const volatile sig_atomic_t *interrupted;
	/* NULL, or called now and then; and when a path has ended (tc is NULL if it has none) */
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
	const char *kind;           /* the word of the fault, or of why the path was cut off; NULL */
	const char *file;           /* the place, or NULL */
	uint32_t line;
	bool incomplete;
	bool is_new;                /* a fault that was not seen before */
	const char *report;         /* of a fault */
	const char *test;           /* file of the test case, or NULL */
	const struct testcase *tc;
	uint64_t depth, instructions, threads;
};

struct explore_stats {
	uint64_t paths;             /* ended, pruned ones not counted */
	uint64_t ends[EXPLORE_N_ENDS];
	uint64_t incomplete;        /* of them: something was fixed or unanswered on the way */
	uint64_t states, most_states; /* saved now, and at most */
	uint64_t bytes, most_bytes; /* of saved states */
	uint64_t infeasible;        /* other ways of decisions that no input can take on the path */
	uint64_t forks, switches, instructions;
	uint64_t timed;             /* choices while a thread waited for time to pass, not offered */
	uint64_t unwritten;         /* test cases that could not be */
	uint32_t threads;           /* of a path, at most */
	double seconds;
	const struct ask_stats *ask;
};

struct explore_finding {
	enum fault fault;
	char *file, *report;
	char *test;                 /* file of the test case, or NULL */
	struct testcase *tc;        /* NULL: the path has no example of its inputs */
	uint32_t line;
	uint64_t key, count;
	bool incomplete;
};

struct explore_reason { /* why paths are incomplete or cut off */
	char *why;
	uint64_t count;
};

/* The answer to exec_options.pick where a test case has none: the current thread stays, if it can go on
 * and its slice has not ended; else the next higher of the ready ones, else the lowest. */
uint32_t explore_default_pick(
	const struct machine *m, const uint32_t *ready, uint32_t n, enum exec_pick why);

/* Explores main(argv). 0 when it ended, whatever was found; -1 after error_(). */
struct explore *explore_new(const struct ir_program *p, int argc, char *const *argv,
	char *const *envp, const struct explore_options *opt);
int explore_run(struct explore *ex);
void explore_free(struct explore *ex);

const struct explore_stats *explore_stats(struct explore *ex);
const struct explore_finding *explore_findings(const struct explore *ex, uint32_t *n);
const struct explore_reason *explore_reasons(const struct explore *ex, uint32_t *n);
struct coverage *explore_coverage(struct explore *ex);
/* True if every path was seen to its end: no budget, no question left. */
bool explore_complete(const struct explore *ex);
/* After a run that was not: which budget ended it, or NULL. */
const char *explore_stopped(const struct explore *ex);

#endif
