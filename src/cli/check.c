/*
 * `heddle check`: records runs of a program, predicts failures under other schedules, replays them,
 * and reports. Standard input, arguments, environment and directory are the user's own.
 */
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/check_deep.h"
#include "cli/standard_input.h"
#include "cli/record_runs.h"

#include <stdlib.h>

struct check_args {
	struct analysis_args c;
	struct record_runs_args r;
	struct check_deep_args d;
};

static const struct opt check_opts[] = {
	CHECK_DEEP_OPTS(struct check_args, d),
	RECORD_RUNS_OPTS(struct check_args, r),
	ANALYSIS_OPTS(struct check_args, c),
	OPT_END,
};

static int check_runs(struct check_args *a, struct analysis *c, int argc, char **argv)
{
	struct recorded_runs r = {0};
	int rc = 0;

	if (!a->d.resume) {
		rc = record_runs(&a->r, c->db, c->input, argc, argv, &r);
		if (!rc)
			rc = analysis_runs(c, r.dirs.at, r.ends.at, r.dirs.n);
	}
	recorded_runs_release(&r);
	a->d.timeout = a->r.timeout;
	a->d.exclude = a->r.exclude;
	if (!rc && (a->d.deep || a->d.resume))
		rc = check_deep(c, &a->d, argc, argv);
	return rc ? STATUS_FAILED : analysis_conclude(c);
}

static int check_command(void *args, int argc, char **argv)
{
	struct check_args *a = args;
	int status = STATUS_FAILED;
	struct analysis c = {0};
	char *input = NULL;

	if (!standard_input_keep(a->c.dir ? a->c.dir : ".", &input))
		status = analysis_open(&c, &a->c, input);
	if (status == STATUS_NOTHING)
		status = check_runs(a, &c, argc, argv);
	analysis_release(&c);
	analysis_args_release(&a->c);
	vec_release(&a->r.exclude);
	free(input);
	return status;
}

const struct command cmd_check = {
	.synopsis = "[options] [--] PROGRAM [args...]",
	.about =
		"Runs a program built by heddle-cc once and predicts from that run which\n"
		"failures other schedules would show: assertion failures, data races, atomicity\n"
		"violations, deadlocks, misuse of memory and locks. Each prediction is replayed\n"
		"on the real program and kept in .heddle: 'heddle replay H1' shows it again,\n"
		"'heddle verify H1' checks whether a fix works.",
	.opts = check_opts,
	.lists_faults = true,
	.args_size = sizeof(struct check_args),
	.min = 1,
	.max = -1,
	.run = check_command,
};
