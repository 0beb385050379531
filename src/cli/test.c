/*
 * `heddle test`: runs test cases on the real program. Prints one line for each, then the number of
 * test cases for each verdict.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/print.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/junit_report.h"
#include "cli/load_test_program.h"
#include "cli/named_program.h"
#include "finding/testcase.h"
#include "replay/explored.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct test_args {
	const char *keep, *junit;
	uint64_t timeout;
	bool expect, machine, native, write_files, show, quiet;
};

static const struct opt test_opts[] = {
	OPT_FLAG('e', "expect", struct test_args, expect,
		"exit with 0 if every test had its expected outcome, which may\n"
		"be a failure"),
	OPT_FLAG(0, "machine", struct test_args, machine, "run the tests on heddle's machine only"),
	OPT_FLAG(0, "native-only", struct test_args, native,
		"run the tests on the real program only, without their\n"
		"schedules"),
	OPT_STRING('k', "keep", struct test_args, keep, "DIR",
		"keep the input and output files of each test in DIR"),
	OPT_FLAG(0, "write-files", struct test_args, write_files,
		"let the program change files; without this option it changes\n"
		"copies"),
	OPT_FLAG(0, "show", struct test_args, show, "show the output of the programs"),
	OPT_FLAG('q', "quiet", struct test_args, quiet,
		"print only the tests with another outcome, and the totals"),
	OPT_NUMBER(0, "timeout", struct test_args, timeout, "SECONDS", 1, 1000000,
		"kill a run that takes longer, 60 seconds by default"),
	OPT_STRING(0, "junit", struct test_args, junit, "FILE",
		"also write the results as JUnit XML; - is the standard output"),
	OPT_END,
};

struct testing {
	const struct test_args *a;
	VEC(char *) files;
	VEC(struct test_program) programs; /* loaded so far */
	struct junit junit;
	struct named_program named;
	uint32_t counts[TEST_NVERDICTS];
	uint32_t broken, failures; /* test cases that could not be run; that failed */
	bool missing;              /* a directory without test cases, or one that cannot be read */
};

/* ---- one test -------------------------------------------------------------------------------- */

/* The loaded program of that path; NULL after error_(). Valid until the next call. */
static struct test_program *program_of(struct testing *ts, const char *path)
{
	char *exe = realpath(path, NULL);
	struct test_program tp;

	vec_each (&ts->programs, i)
		if (exe && !strcmp(ts->programs.at[i].exe, exe)) {
			free(exe);
			return &ts->programs.at[i];
		}
	free(exe);
	if (load_test_program(&tp, path))
		return NULL;
	vec_push(&ts->programs, tp);
	return &vec_last(&ts->programs);
}

/* Creates the directory DIR/NAME of a test case, if missing; NULL after error_(). */
static char *keep_dir(const char *dir, const char *test)
{
	const char *name = strrchr(test, '/');
	char *path;

	name = name ? name + 1 : test;
	path = xasprintf("%s/%.*s", dir, (int)strcspn(name, "."), name);
	if ((mkdir(dir, 0777) && errno != EEXIST) || (mkdir(path, 0777) && errno != EEXIST)) {
		error_("cannot create the directory '%s': %s", path, strerror(errno));
		free(path);
		return NULL;
	}
	return path;
}

static void print_result(const struct testing *ts, const char *file, const struct test_result *res)
{
	const char *note = res->notes.s, *end;

	if (ts->a->quiet && res->verdict == TEST_SAME)
		return;
	print_clean(stdout, "%s: %s: %s\n", file, test_verdict_words[res->verdict],
		res->what.s ? res->what.s : "");
	for (; note && *note; note = end + 1) {
		end = strchrnul(note, '\n');
		print_clean(stdout, "  %.*s\n", (int)(end - note), note);
		if (!*end)
			break;
	}
	fflush(stdout);
}

static int try_one(struct testing *ts, const char *file, const struct testcase *tc,
	const struct test_options *opt)
{
	struct test_program *tp = program_of(ts, tc->program);
	struct finding *f = finding_of_test(tc);
	struct test_result res;
	int rc;

	if (tp && !ts->a->machine && !ts->a->quiet)
		named_program_show(&ts->named, f);
	rc = tp ? test_run(f, tp, opt, &res) : -1;

	finding_free(f);
	if (rc)
		return -1;
	ts->counts[res.verdict]++;
	ts->failures += res.failed;
	print_result(ts, file, &res);
	junit_report_add(&ts->junit, file, &res);
	test_result_release(&res);
	return 0;
}

/* Runs the test case in its own directory, if it names one. -1 after error_(). */
static int test_one(struct testing *ts, const char *file)
{
	struct test_options opt = {.machine = ts->a->machine,
		.native = ts->a->native,
		.write_files = ts->a->write_files,
		.show = ts->a->show,
		.seconds = (double)ts->a->timeout};
	int here = open(".", O_PATH | O_CLOEXEC), rc = -1;
	char *keep = NULL, *full = NULL;
	struct testcase tc;

	if (!testcase_read(&tc, file)) {
		if (tc.from)
			error_("'%s' cannot be run: it begins in the middle of the program, at "
			       "'%s' (heddle explore --from), in a state that may not be reachable",
				file, tc.from);
		else if (ts->a->keep) {
			keep = keep_dir(ts->a->keep, file);
			full = keep ? realpath(keep, NULL) : NULL;
			opt.keep = full;
		}
		if (tc.from)
			rc = -1;
		else if (tc.cwd && chdir(tc.cwd))
			error_("'%s': cannot change to the directory '%s': %s", file, tc.cwd,
				strerror(errno));
		else if (!ts->a->keep || full)
			rc = try_one(ts, file, &tc, &opt);
		testcase_release(&tc);
	}
	if (here < 0 || fchdir(here))
		rc = error_("cannot return to the working directory: %s", strerror(errno));
	close(here);
	free(keep);
	free(full);
	return rc;
}

/* ---- the operands ---------------------------------------------------------------------------- */

/* Any JSON file but the frontier that explore writes to the same directory. */
static bool is_test(const char *name)
{
	const char *base = strrchr(name, '/');
	size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, ".json") &&
	       strcmp(base ? base + 1 : name, "frontier.json");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the test cases of a directory, sorted by name; -1 after error_(). */
static int add_directory(struct testing *ts, const char *dir)
{
	uint32_t first = ts->files.n;
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return error_("cannot read '%s': %s", dir, strerror(errno));
	while ((e = readdir(d)))
		if (is_test(e->d_name))
			vec_push(&ts->files, xasprintf("%s/%s", dir, e->d_name));
	closedir(d);
	if (ts->files.n == first)
		return error_("no test cases in '%s' ('heddle explore -o DIR' writes them)", dir);
	qsort(ts->files.at + first, ts->files.n - first, sizeof *ts->files.at, by_name);
	return 0;
}

static int add_operand(struct testing *ts, const char *name)
{
	const char *base = strrchr(name, '/');
	struct stat st;

	if (!stat(name, &st) && S_ISDIR(st.st_mode))
		return add_directory(ts, name);
	if (strcmp(base ? base + 1 : name, "frontier.json"))
		vec_push(&ts->files, xstrdup(name));
	return 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void print_sum(const struct testing *ts)
{
	print_clean(stdout, "%u test%s:", ts->files.n, ts->files.n == 1 ? "" : "s");
	for (int i = 0; i < TEST_NVERDICTS; i++)
		if (ts->counts[i])
			print_clean(stdout, " %u %s,", ts->counts[i], test_verdict_words[i]);
	if (ts->broken)
		print_clean(stdout, " %u could not be run,", ts->broken);
	print_clean(stdout, " %u failure%s\n", ts->failures, ts->failures == 1 ? "" : "s");
}

/* The exit code. A failure that the real program showed is a finding; one that only heddle's
 * machine showed is inconclusive. With --expect only test cases with another outcome count. */
static int status_of(const struct testing *ts)
{
	uint32_t not_known = ts->counts[TEST_DIVERGED] + ts->counts[TEST_UNKNOWN];
	uint32_t machine_only = ts->a->expect ? 0 : ts->counts[TEST_MACHINE_ONLY];

	if (ts->a->expect ? ts->counts[TEST_DIFFERENT] || ts->counts[TEST_GONE]
			  : ts->counts[TEST_DIFFERENT] || ts->failures)
		return STATUS_FOUND;
	if (ts->broken || ts->missing)
		return STATUS_FAILED;
	return not_known || machine_only ? STATUS_INCONCLUSIVE : STATUS_NOTHING;
}

static int test_command(void *args, int argc, char **argv)
{
	const struct test_args *a = args;
	struct testing ts = {.a = a};
	int status;

	if (a->machine && a->native) {
		error_("'--machine' and '--native-only' exclude each other");
		return STATUS_USAGE;
	}
	for (int i = 0; i < argc; i++)
		ts.missing |= add_operand(&ts, argv[i]) != 0;
	vec_each (&ts.files, i)
		if (test_one(&ts, ts.files.at[i])) {
			ts.broken++;
			junit_report_add_broken(&ts.junit, ts.files.at[i]);
		}
	if (ts.files.n > 1 || ts.broken)
		print_sum(&ts);
	status = status_of(&ts);
	if (a->junit && junit_report_write(&ts.junit, a->junit))
		status = STATUS_FAILED;
	junit_release(&ts.junit);
	named_program_release(&ts.named);
	vec_each (&ts.programs, i)
		test_program_release(&ts.programs.at[i]);
	vec_release(&ts.programs);
	vec_each (&ts.files, i)
		free(ts.files.at[i]);
	vec_release(&ts.files);
	return status;
}

const struct command cmd_test = {
	.synopsis = "[options] FILE-OR-DIRECTORY...",
	.about = "Runs test cases, which 'heddle explore' writes, on the real program, with their\n"
		 "inputs and under their schedules, and compares the outcomes. For a directory,\n"
		 "runs all test cases in it. Exit code 66: a test failed, or had another outcome\n"
		 "than expected; 0: no test failed; 3: a replay diverged, or a failure was seen\n"
		 "on heddle's machine only. With --expect: 0 if all tests had the expected\n"
		 "outcome, failures included, else 66.",
	.opts = test_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct test_args),
	.min = 1,
	.max = -1,
	.run = test_command,
};
