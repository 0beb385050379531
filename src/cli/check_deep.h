/*
 * `heddle check --deep`: extends the analysis from the recorded run to all schedules of its input.
 * Each flip is executed as a run of its own (deep/deep.h); findings are reported during the search.
 */
#ifndef HEDDLE_CLI_CHECK_DEEP_H
#define HEDDLE_CLI_CHECK_DEEP_H

#include "base/opt.h"
#include "cli/analysis.h"

struct check_deep_args {
	bool deep, resume;
	uint64_t max_runs;
	uint64_t timeout; /* time limit of one run in seconds; 0 = 20 */
	struct opt_list exclude;
};

#define CHECK_DEEP_OPTS(S, f)                                                                      \
	OPT_FLAG(0, "deep", S, f.deep,                                                             \
		"also run each schedule that changes a branch, and predict\n"                      \
		"from that run, until there is no new path"),                                      \
		OPT_FLAG(0, "resume", S, f.resume,                                                 \
			"continue the --deep search that was interrupted here"),                   \
		OPT_NUMBER(0, "max-runs", S, f.max_runs, "N", 1, UINT64_MAX / 2,                   \
			"with --deep: at most N runs")

/* Searches, and sets c->deep to the statistics. -1 after error_(). */
int check_deep(struct analysis *c, const struct check_deep_args *a, int argc, char **argv);

#endif
