/*
 * `heddle check`: records runs of a program, predicts failures under other schedules, replays them,
 * and reports. Standard input, arguments, environment and directory are the user's own.
 */
#include "cli/checking.h"
#include "cli/command.h"
#include "cli/deepening.h"
#include "cli/input.h"
#include "cli/recorded.h"

#include <stdlib.h>

struct check_args {
	struct checking_args c;
	struct recorded_args r;
	struct deepening_args d;
};

static const struct opt check_opts[] = {
	DEEPENING_OPTS(struct check_args, d),
	RECORDED_OPTS(struct check_args, r),
	CHECKING_OPTS(struct check_args, c),
	OPT_END,
};

static int check_runs(struct check_args *a, struct checking *c, int argc, char **argv)
{
	struct recorded r = {0};
	int rc = 0;

	if (!a->d.resume) {
		rc = recorded_runs(&a->r, c->db, c->input, argc, argv, &r);
		if (!rc)
			rc = checking_runs(c, r.dirs.at, r.ends.at, r.dirs.n);
	}
	recorded_release(&r);
	a->d.timeout = a->r.timeout;
	a->d.exclude = a->r.exclude;
	if (!rc && (a->d.deep || a->d.resume))
		rc = deepening(c, &a->d, argc, argv);
	return rc ? STATUS_FAILED : checking_conclude(c);
}

static int check_command(void *args, int argc, char **argv)
{
	struct check_args *a = args;
	int status = STATUS_FAILED;
	struct checking c = {0};
	char *input = NULL;

	if (!input_keep(a->c.dir ? a->c.dir : ".", &input))
		status = checking_open(&c, &a->c, input);
	if (status == STATUS_NOTHING)
		status = check_runs(a, &c, argc, argv);
	checking_release(&c);
	checking_args_release(&a->c);
	vec_release(&a->r.exclude);
	free(input);
	return status;
}

const struct command cmd_check = {
	.synopsis = "[options] [--] PROGRAM [args...]",
	.about =
		"Runs a program built by heddle-cc once and predicts from that run which failures\n"
		"other schedules would show: assertion failures, data races, atomicity\n"
		"violations, deadlocks, misuse of memory and locks. Each prediction is replayed "
		"on\n"
		"the real program, and kept in .heddle: 'heddle replay H1' shows it again,\n"
		"'heddle verify H1' checks whether a fix works.",
	.opts = check_opts,
	.args_size = sizeof(struct check_args),
	.min = 1,
	.max = -1,
	.run = check_command,
};
