/*
 * `heddle check --deep`: from the recorded run to all schedules of its input. Each flip of a
 * branch becomes a run of its own (deep/deep.h); findings come in while it works.
 */
#ifndef HEDDLE_CLI_DEEPENING_H
#define HEDDLE_CLI_DEEPENING_H

#include "base/opt.h"
#include "cli/checking.h"

struct deepening_args {
	bool deep, resume;
	uint64_t max_runs;
	uint64_t timeout; /* for one run; 0 = 20 s */
	struct opt_list exclude;
};

#define DEEPENING_OPTS(S, f)                                                                       \
	OPT_FLAG(0, "deep", S, f.deep,                                                             \
		"go on: run each schedule that takes a branch the other way,\n"                    \
		"predict from that run too, until nothing is new"),                                \
		OPT_FLAG(0, "resume", S, f.resume,                                                 \
			"go on with the --deep that was interrupted here"),                        \
		OPT_NUMBER(0, "max-runs", S, f.max_runs, "N", 1, UINT64_MAX / 2,                   \
			"with --deep: at most N runs")

/* Its statistics stay in c->deep. -1 after error_(). */
int deepening(struct checking *c, const struct deepening_args *a, int argc, char **argv);

#endif
