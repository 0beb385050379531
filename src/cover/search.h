/*
 * All reachable epochs and their schedules: Search() of paper 000, Figure 4.
 *
 *	worklist = {the program's entry}
 *	while (s = worklist.take())
 *		(schedules, arrivals) = start_search(s)          SearchInEpoch()
 *		for each arrival at epoch e:
 *			the state of e with the shape of the arrival:
 *			made of it, or joined with it              MakeStateForEpoch()
 *			if it is new, or changed: worklist.add(it)
 *
 * The name of an epoch is the multiset of the calling contexts of its threads (4.1.3). Each epoch has
 * one or more initial states (initial.h). A state that changes is searched again. When the worklist is empty,
 * each state contains every state in which a path from another one arrives there: a run that begins at
 * the entry and follows the schedules always finds one that matches (section 8, property 2).
 *
 * Lifetime: heap, search_free(); the facts must live longer.
 */
#ifndef HEDDLE_COVER_SEARCH_H
#define HEDDLE_COVER_SEARCH_H

#include "base/base.h"
#include "base/vec.h"
#include "cover/start.h"
#include "cover/initial.h"

struct search_options {
	struct executor_options executor;
	uint64_t max_paths;
	bool no_prefixes;
};

struct epoch_schedule { /* a schedule of an epoch; its constraint is that of any of the parts */
	const struct schedule *schedule;
	VEC(struct epoch_part {
		uint32_t start;            /* index in epoch.starts */
		const struct covered *how; /* the schedule of that start, with its constraint */
	})
	parts;
	uint32_t paths;
	int next; /* the number of the epoch that follows, or -1 */
};

struct epoch_start {
	struct initial *state; /* NULL: the program's entry */
	struct start *start;
	bool queued;
};

struct epoch {
	uint64_t name;
	VEC(struct path_place) places; /* of one of its states; none: the program's entry */
	VEC(struct epoch_start) starts;
	VEC(struct epoch_schedule) schedules; /* after search_run() */
};

struct search;

struct search *search_new(const struct cover_facts *facts, const struct search_options *opt);
void search_free(struct search *s);
/* Searches until no state is left; 0 if every input is covered in every epoch, else -1. */
int search_run(struct search *s);
/* Epoch 0 begins at the program's entry. */
uint32_t search_count(const struct search *s);
const struct epoch *search_epoch(const struct search *s, uint32_t i);
uint64_t search_paths(const struct search *s);
struct executor *search_executor(struct search *s);
/* Why inputs are not covered; a reason each once for each epoch. Calls fn(ctx, epoch, reason). */
void search_each_reason(
	const struct search *s, void (*fn)(void *ctx, uint32_t epoch, const char *why), void *ctx);
/* The number of the epoch of a path's end, or -1; and the start with the machine's shape, or -1. */
FOR_TESTS int search_locate(const struct search *s, const struct path *p, int *start);

#endif
