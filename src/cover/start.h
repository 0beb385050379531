/*
 * One initial state of a bounded epoch and its schedules: SearchInEpoch() of paper 000, Figure 5.
 *
 * An epoch begins where all threads are before a marker, or blocked; the first one begins at the
 * program's entry. Its initial states are described in initial.h. Paths are executed until the constraints of
 * their schedules cover every input and every value of the state:
 *
 *	constraints = {true}
 *	while (c = constraints.take())
 *		path = path_execute(initial state with c)
 *		slice = slice_compute(path)
 *		schedules.add(c and slice.conditions, schedule_make(path))
 *		for each condition b of the slice, with the conditions before it:
 *			constraints.add(c and the conditions before b and not b)
 *
 * The constraint of a path begins with the constraint that it was executed under, so the constraints
 * of all paths exclude each other, and none is covered twice. Paths with the same schedule share it:
 * its constraint is the disjunction. Schedules of runs that end early join those that they are a
 * prefix of (4.1.1).
 *
 * A path that arrives at another epoch explores the other outcome of every condition that it decided, not
 * only of those in the slice: the state in which it arrives depends on them.
 *
 * Lifetime: heap, start_free(); the executor and the state must live longer.
 */
#ifndef HEDDLE_COVER_START_H
#define HEDDLE_COVER_START_H

#include "base/vec.h"
#include "cover/executor.h"
#include "cover/schedule.h"
#include "cover/slice.h"

struct start;

struct start_options {
	struct executor *x;
	const uint64_t *max_paths; /* of the whole search; 0 = any number */
	uint64_t *paths;           /* of the whole search */
	bool no_prefixes;
	/* A path ended at another epoch, and the machine is there: the number of that epoch. Sets *stale if the
	 * initial state has changed: then this search ends. */
	int (*arrive)(void *ctx, const struct path *p, bool *stale);
	/* The machine is at the end of a path that fails: inputs for which a run from the program's entry fails
	 * in the same way, or NULL. */
	struct testcase *(*confirm)(void *ctx, enum path_end end, const char *report);
	void *ctx;
};

struct covered { /* a schedule and the inputs that lead to it */
	struct schedule *schedule;
	VEC(struct vec_u32) when; /* a disjunction of conjunctions of terms */
	uint32_t paths;
	int next; /* number of the epoch that follows, or -1 */
};

struct start_reason { /* why inputs are not covered */
	char *why;
	uint32_t paths;
};

struct start_failure { /* a path that ends in a fault or a deadlock */
	enum path_end end;
	char *report; /* of the machine */
	struct testcase *
		tc; /* inputs that lead there; NULL: none are known, the state may be one that no run
				reaches */
	uint32_t paths;
};

struct start *start_new(const struct start_options *opt);
void start_free(struct start *e);
/* Executes paths from the state until every input is covered; 0, or -1 if some are not: see
 * start_reasons(). Results of an earlier search are dropped. *stale: the state changed meanwhile. */
int start_search(struct start *e, struct saved *from, bool *stale);

const struct covered *start_schedules(const struct start *e, uint32_t *n);
/* Each report once. */
const struct start_failure *start_failures(const struct start *e, uint32_t *n);
const struct start_reason *start_reasons(const struct start *e, uint32_t *n);
/* Whether an input may be missing: a reason, or constraints that were not searched. */
bool start_is_complete(const struct start *e);

#endif
