/* What `heddle explore` tells: findings as they come, progress, the end (exploring.c). */
#ifndef HEDDLE_CLI_EXPLORING_H
#define HEDDLE_CLI_EXPLORING_H

#include "base/opt.h"
#include "base/vec.h"
#include "explore/explore.h"
#include "finding/finding.h"

struct explore_args {
	struct opt_list sym, stubs;
	int switches, search, tests; /* as in explore_options */
	uint64_t seed, seconds, max_paths, max_depth, max_branches, max_instructions, max_memory;
	uint64_t preemptions, solver_seconds;
	const char *out, *dir, *lcov, *dump_smt, *from;
	bool all_orders, no_summaries, resume, no_replay, json, stats;
	bool no_reach, no_invariants, check_initial;
};

struct exploring {
	const struct explore_args *a;
	const char *out;
	uint32_t confirmed; /* findings seen on the real program */
	VEC(struct finding *) findings; /* with names */
	bool line;          /* a progress line is on the terminal */
};

void exploring_progress(void *ctx, struct explore *ex);
void exploring_path(void *ctx, struct explore *ex, const struct explore_path *path);
/* Replays the findings, unless the options say otherwise, keeps them in `.heddle` and reports them.
 * -1 after error_(). */
int exploring_findings(struct exploring *e, struct explore *ex, const char *program);
void exploring_release(struct exploring *e);
void exploring_end(struct exploring *e, struct explore *ex);

#endif
