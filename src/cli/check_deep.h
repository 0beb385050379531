/*
 * The second stage of `heddle check`: extends the analysis from the recorded run to all schedules
 * of its input. Each flip is executed as a run of its own (deep/deep.h); findings are reported
 * during the search.
 */
#ifndef HEDDLE_CLI_CHECK_DEEP_H
#define HEDDLE_CLI_CHECK_DEEP_H

#include "base/opt.h"
#include "base/vec.h"
#include "cli/analysis.h"

struct check_deep_args {
	bool deep, quick, resume;
	uint64_t max_runs;
	uint64_t timeout; /* time limit of one run in seconds; 0 = 20 */
	struct opt_list exclude;
	const struct recorded_runs *recorded;
};

#define CHECK_DEEP_OPTS(S, f)                                                                      \
	OPT_FLAG(0, "quick", S, f.quick, "only predict from the recorded run"),                    \
		OPT_FLAG(0, "deep", S, f.deep,                                                     \
			"search for other paths also if a failure is confirmed, or if\n"           \
			"options restrict the prediction"),                                        \
		OPT_FLAG(0, "resume", S, f.resume,                                                 \
			"continue the search for other paths that was interrupted\n"               \
			"here"),                                                                   \
		OPT_NUMBER(0, "max-runs", S, f.max_runs, "N", 1, UINT64_MAX / 2,                   \
			"at most N runs for other paths")

/* The program as the later stages run it: strings that *opt refers to. */
struct check_program {
	char *exe, *cwd;
	VEC(const char *) exclude;
};
/* Fills *opt. -1 after error_(). check_program_release() in any case. */
int check_program_init(struct check_program *p, const struct analysis *c,
	const struct check_deep_args *a, char **argv, struct replay_options *opt);
void check_program_release(struct check_program *p);

/* Searches until `until`, and sets c->deep to the statistics. -1 after error_(), if there is
 * nothing to resume; another failure is a limit of the statistics. */
int check_deep(struct analysis *c, const struct check_deep_args *a, char **argv, double until);

#endif
