/*
 * Runs the program once more so that two accesses which lie far apart in a recorded run come close
 * (extract/far_pair.h), and finds the chunk of the new run that contains both.
 */
#ifndef HEDDLE_DEEP_FAR_RUN_H
#define HEDDLE_DEEP_FAR_RUN_H

#include "extract/partition.h"
#include "finding/finding.h"

/* The plan of the pair as a finding without a fault. `threads`: partition_threads() of the recorded
 * run t. The caller frees it. */
struct finding *far_run_plan(
	const struct far_pair *pair, const struct ctp *threads, const struct trace *t);

struct far_run {   /* zero it first */
	char *dir; /* temporary directory with the trace; NULL: none */
	struct trace *t;
	struct partition *p;
};
/* Runs the plan for at most so many seconds and records it. input: file with the standard input; NULL: none.
 * opt: of the partition of the recorded run. Returns the chunk of the new run that has both accesses, which the
 * caller frees before far_run_release(); NULL: the run left the plan, or has no such chunk. */
const struct ctp *far_run(struct far_run *r, const struct far_pair *pair,
	const struct finding *plan, const char *input, double seconds,
	const struct partition_options *opt);
void far_run_release(struct far_run *r);

#endif
