/*
 * `heddle check`: records runs of a program, predicts what other schedules of them would show, replays
 * that, and reports. Standard input, arguments, environment and directory are the user's own.
 */
#include "base/diag.h"
#include "cli/checking.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/program.h"
#include "cli/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct check_args {
	struct checking_args c;
	uint64_t runs, timeout, limit;
	struct opt_list exclude;
};

static const struct opt check_opts[] = {
	OPT_NUMBER('n', "runs", struct check_args, runs, "N", 1, 10000,
		"record N runs and take them together; 1 by default"),
	OPT_NUMBER(0, "timeout", struct check_args, timeout, "N", 1, 1000000,
		"seconds for one recorded run, 120 by default; one whose\n"
		"threads all wait for each other is ended at once"),
	OPT_SIZE(0, "limit", struct check_args, limit, 1 << 20, UINT64_MAX / 2,
		"keep at most SIZE of the log, the newest part of it"),
	OPT_LIST(0, "exclude", struct check_args, exclude, "PATTERN",
		"functions or source files that are not traced"),
	CHECKING_OPTS(struct check_args, c),
	OPT_END,
};

static enum observed_end observed(enum target_end end)
{
	return end == TARGET_HUNG      ? OBSERVED_HANG
	       : end == TARGET_TIMEOUT ? OBSERVED_TIMEOUT
				       : OBSERVED_END;
}

static void say_end(const struct check_args *a, enum target_end end)
{
	if (end == TARGET_HUNG)
		note_("the program hangs: all its threads wait for each other; it was ended");
	else if (end == TARGET_TIMEOUT)
		note_("the program did not end within %" PRIu64 " s (--timeout); it was ended",
			a->timeout);
}

static int record_run(struct check_args *a, const char *exe, int argc, char **argv,
	const char *dir, enum target_end *end)
{
	struct recording_options ro = {a->limit, 0, a->exclude};
	struct target_options to = {.watch = true, .seconds = (double)a->timeout};
	struct recording r;
	int status;

	if (recording_open(&r, exe, argc, argv, dir, &ro))
		return -1;
	if (target_run(&r, argv, &to, &status, end))
		return -1;
	say_end(a, *end);
	if (recording_finish(&r, &status)) {
		recording_release(&r);
		return -1;
	}
	recording_release(&r);
	return 0;
}

struct recorded {
	VEC(char *) dirs;
	VEC(enum observed_end) ends;
};

static int record_runs(
	struct check_args *a, struct checking *c, int argc, char **argv, struct recorded *out)
{
	char *exe = program_find(argv[0]);
	int rc = 0;

	for (uint64_t i = 0; i < a->runs && !rc; i++) {
		char *name = xasprintf("traces/run-%" PRIu64, i + 1);
		char *dir = findings_path(c->db, name);
		enum target_end end = TARGET_ENDED;

		free(name);
		if (!dir || (i && input_rewind(c->input)))
			rc = -1;
		else
			rc = record_run(a, exe, argc, argv, dir, &end);
		if (dir)
			vec_push(&out->dirs, dir);
		vec_push(&out->ends, observed(end));
	}
	free(exe);
	return rc;
}

static int check_runs(struct check_args *a, struct checking *c, int argc, char **argv)
{
	struct recorded r = {0};
	int rc = record_runs(a, c, argc, argv, &r);

	if (!rc)
		rc = checking_runs(c, r.dirs.at, r.ends.at, r.dirs.n);
	vec_each (&r.dirs, i)
		free(r.dirs.at[i]);
	vec_release(&r.dirs);
	vec_release(&r.ends);
	return rc ? STATUS_FAILED : checking_conclude(c);
}

static int check_command(void *args, int argc, char **argv)
{
	struct check_args *a = args;
	int status = STATUS_FAILED;
	struct checking c = {0};
	char *input = NULL;

	a->runs = a->runs ? a->runs : 1;
	a->timeout = a->timeout ? a->timeout : 120;
	if (!input_keep(a->c.dir ? a->c.dir : ".", &input))
		status = checking_open(&c, &a->c, input);
	if (status == STATUS_NOTHING)
		status = check_runs(a, &c, argc, argv);
	checking_release(&c);
	checking_args_release(&a->c);
	vec_release(&a->exclude);
	free(input);
	return status;
}

const struct command cmd_check = {
	.synopsis = "[options] [--] PROGRAM [args...]",
	.about = "Runs a program built by heddle-cc once, as it is run every day, and proves from\n"
		 "that run what other schedules of it would show: assertion failures, data races,\n"
		 "atomicity violations, deadlocks, misuse of memory and locks. Each one is\n"
		 "replayed on the real program before it is called a bug, and kept in .heddle:\n"
		 "'heddle replay H1' shows it again, 'heddle verify H1' says whether a fix works.",
	.opts = check_opts,
	.args_size = sizeof(struct check_args),
	.min = 1,
	.max = -1,
	.run = check_command,
};
