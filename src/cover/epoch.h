/*
 * One bounded epoch and its schedules: SearchInEpoch() of paper 000, Figure 5.
 *
 * An epoch begins where all threads are before a marker, or blocked; its name is the multiset of their
 * calling contexts (4.1.3). This is the first one: it begins at the program's entry, with symbolic
 * inputs. Paths are executed until the constraints of their schedules cover every input:
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
 * Lifetime: heap, epoch_free(); the facts must live longer.
 */
#ifndef HEDDLE_COVER_EPOCH_H
#define HEDDLE_COVER_EPOCH_H

#include "base/base.h"
#include "base/vec.h"
#include "cover/schedule.h"
#include "cover/slice.h"
#include "explore/inputs.h"

struct epoch;

struct epoch_options {
	struct inputs *inputs;
	int argc;
	char *const *argv;
	char *const *envp;
	const struct exec_stub *stubs;
	uint32_t nstubs;
	double solver_seconds;
	uint64_t max_paths;
	struct path_limits limits;
	bool no_prefixes;
};

struct covered { /* a schedule and the inputs that lead to it */
	struct schedule *schedule;
	VEC(struct vec_u32) when; /* a disjunction of conjunctions of terms */
	uint32_t paths;
	int next; /* index in epoch_reached(), or -1 */
};

struct epoch_reason { /* why inputs are not covered */
	char *why;
	uint32_t paths;
};

struct epoch_failure { /* a path that ends in a fault or a deadlock */
	enum path_end end;
	char *report;        /* of the machine */
	struct testcase *tc; /* inputs that lead there; NULL: the solver gave none */
	uint32_t paths;
};

struct epoch_end { /* the places at which paths ended: the start of another epoch */
	uint64_t name;
	VEC(struct path_place) places;
};

/* The epoch at the program's entry; NULL after error_(). */
struct epoch *epoch_new(const struct cover_facts *facts, const struct epoch_options *opt);
void epoch_free(struct epoch *e);
/* Executes paths until every input is covered; 0, or -1 if some are not: see epoch_reasons(). */
int epoch_search(struct epoch *e);

/* The schedule of one path under a constraint, without a search: of one input, if the constraint has one
 * solution. NULL: no run has it, or the path cannot be followed. */
FOR_TESTS struct schedule *epoch_run(struct epoch *e, const term_t *constraint, uint32_t n);

const struct covered *epoch_schedules(const struct epoch *e, uint32_t *n);
/* The epochs that follow, each once. */
const struct epoch_end *epoch_reached(const struct epoch *e, uint32_t *n);
/* Each report once. */
const struct epoch_failure *epoch_failures(const struct epoch *e, uint32_t *n);
const struct epoch_reason *epoch_reasons(const struct epoch *e, uint32_t *n);
struct terms *epoch_terms(const struct epoch *e);
uint64_t epoch_paths(const struct epoch *e);

#endif
