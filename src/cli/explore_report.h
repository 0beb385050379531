/* The output of `heddle explore`: findings during the exploration, progress, the summary. */
#ifndef HEDDLE_CLI_EXPLORE_REPORT_H
#define HEDDLE_CLI_EXPLORE_REPORT_H

#include "base/opt.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/machine_inputs.h"
#include "cli/report_files.h"
#include "cli/set_aside.h"
#include "explore/explore.h"
#include "finding/finding.h"
#include "finding/verdict.h"

struct explore_args {
	struct machine_inputs_args machine;
	struct opt_list assume;
	int switches, search, tests; /* as in explore_options */
	uint64_t seed, seconds, max_paths, max_depth, max_branches, max_instructions, max_memory;
	uint64_t preemptions, solver_seconds;
	const char *out, *dir, *lcov, *dump_smt, *from;
	bool all_orders, no_merge, spurious, no_summaries, resume, no_replay, json, stats;
	bool no_reach, no_invariants, check_initial;
	struct report_files files;
	struct set_aside_args aside;
};

struct explore_report {
	const struct explore_args *a;
	const char *out;                /* directory of the test cases */
	VEC(struct finding *) findings; /* stored findings, with names, without those set aside */
	struct set_aside aside;
	struct verdict verdict; /* explore_verdict() fills it */
	bool line;              /* a progress line is on the terminal */
};

/* explore_options.progress: updates the progress line. */
void explore_report_progress(void *ctx, struct explore *ex);
/* explore_options.ended: prints the path (--json), or a new finding. */
void explore_report_path(void *ctx, struct explore *ex, const struct explore_path *path);
/* Replays the findings (not with --no-replay or --from) and stores them in `.heddle`. -1 after
 * error_(). */
int explore_report_findings(struct explore_report *e, struct explore *ex, const char *program);
void explore_report_release(struct explore_report *e);
/* Computes the verdict, after explore_report_findings() (explore_verdict.c). */
void explore_verdict(struct explore_report *e, struct explore *ex);
/* Adds why not every path was explored to its end. advice: words behind a budget that ended it. */
void explore_verdict_gaps(
	struct verdict *v, uint32_t claim, struct explore *ex, const char *advice);
/* Appends the number of findings by their status, and the headline of the verdict. */
void explore_verdict_headline(const struct explore_report *e, struct strbuf *out);
/* Prints the summary, and the reports of the findings. */
void explore_report_summary(struct explore_report *e, struct explore *ex);

#endif
