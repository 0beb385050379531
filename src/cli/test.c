/*
 * `heddle test`: runs test cases on the real program. Prints one line for each, then the number of
 * test cases for each verdict.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/junit.h"
#include "cli/trial_load.h"
#include "finding/testcase.h"

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
		"exit with 0 if every test did what it says, also those that\n"
		"say that the program fails"),
	OPT_FLAG(0, "machine", struct test_args, machine,
		"only on heddle's machine, not on the real program"),
	OPT_FLAG(0, "native-only", struct test_args, native,
		"only on the real program, without the test's schedule:\n"
		"threads take turns as they come"),
	OPT_STRING('k', "keep", struct test_args, keep, "DIR",
		"keep what each test was given and what it left in DIR"),
	OPT_FLAG(0, "write-files", struct test_args, write_files,
		"what the program does to files, it does to them; else it gets\n"
		"copies of those that it changes"),
	OPT_FLAG(0, "show", struct test_args, show, "what the programs print too"),
	OPT_FLAG('q', "quiet", struct test_args, quiet,
		"only the tests that did not do what they say, and the sum"),
	OPT_NUMBER(0, "timeout", struct test_args, timeout, "SECONDS", 1, 1000000,
		"a run that takes longer is ended, 60 by default"),
	OPT_STRING(0, "junit", struct test_args, junit, "FILE",
		"the results as JUnit XML too; - is the standard output"),
	OPT_END,
};

struct testing {
	const struct test_args *a;
	VEC(char *) files;
	VEC(struct trial_program) programs; /* loaded so far */
	struct junit junit;
	uint32_t counts[TRIAL_NVERDICTS];
	uint32_t broken, failures; /* test cases that could not be run; that failed */
	bool missing;              /* a directory without test cases, or one that cannot be read */
};

/* ---- one test -------------------------------------------------------------------------------- */

/* The loaded program of that path; NULL after error_(). Valid until the next call. */
static struct trial_program *program_of(struct testing *ts, const char *path)
{
	char *exe = realpath(path, NULL);
	struct trial_program tp;

	vec_each (&ts->programs, i)
		if (exe && !strcmp(ts->programs.at[i].exe, exe)) {
			free(exe);
			return &ts->programs.at[i];
		}
	free(exe);
	if (trial_load(&tp, path))
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
		error_("cannot make the folder '%s': %s", path, strerror(errno));
		free(path);
		return NULL;
	}
	return path;
}

static void print(const struct testing *ts, const char *file, const struct trial_result *res)
{
	const char *note = res->notes.s, *end;

	if (ts->a->quiet && res->verdict == TRIAL_SAME)
		return;
	printf("%s: %s: %s\n", file, trial_words[res->verdict], res->what.s ? res->what.s : "");
	for (; note && *note; note = end + 1) {
		end = strchrnul(note, '\n');
		printf("  %.*s\n", (int)(end - note), note);
		if (!*end)
			break;
	}
	fflush(stdout);
}

static int try_one(struct testing *ts, const char *file, const struct testcase *tc,
	const struct trial_options *opt)
{
	struct trial_program *tp = program_of(ts, tc->program);
	struct trial_result res;

	if (!tp || trial_run(tc, tp, opt, &res))
		return -1;
	ts->counts[res.verdict]++;
	ts->failures += res.failed;
	print(ts, file, &res);
	junit_add(&ts->junit, file, &res);
	trial_result_release(&res);
	return 0;
}

/* Runs the test case in its own directory, if it names one. -1 after error_(). */
static int test_one(struct testing *ts, const char *file)
{
	struct trial_options opt = {.machine = ts->a->machine,
		.native = ts->a->native,
		.write_files = ts->a->write_files,
		.show = ts->a->show,
		.seconds = (double)ts->a->timeout};
	int here = open(".", O_PATH | O_CLOEXEC), rc = -1;
	char *keep = NULL, *full = NULL;
	struct testcase tc;

	if (!testcase_read(&tc, file)) {
		if (tc.from)
			error_("'%s' is no test: it begins in the middle of the program, at '%s' (heddle explore "
			       "--from), in a state that may not be reachable", file, tc.from);
		else if (ts->a->keep) {
			keep = keep_dir(ts->a->keep, file);
			full = keep ? realpath(keep, NULL) : NULL;
			opt.keep = full;
		}
		if (tc.from)
			rc = -1;
		else if (tc.cwd && chdir(tc.cwd))
			error_("'%s': cannot go to the directory '%s': %s", file, tc.cwd,
				strerror(errno));
		else if (!ts->a->keep || full)
			rc = try_one(ts, file, &tc, &opt);
		testcase_release(&tc);
	}
	if (here < 0 || fchdir(here))
		rc = error_("cannot come back to the directory: %s", strerror(errno));
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
		return error_(
			"there are no tests in '%s' ('heddle explore -o DIR' writes some)", dir);
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
	printf("%u test%s:", ts->files.n, ts->files.n == 1 ? "" : "s");
	for (int i = 0; i < TRIAL_NVERDICTS; i++)
		if (ts->counts[i])
			printf(" %u %s,", ts->counts[i], trial_words[i]);
	if (ts->broken)
		printf(" %u could not be run,", ts->broken);
	printf(" %u failure%s\n", ts->failures, ts->failures == 1 ? "" : "s");
}

/* The exit code. A failure that the real program showed is a finding; one that only heddle's
 * machine showed is inconclusive. With --expect only test cases with another outcome count. */
static int status_of(const struct testing *ts)
{
	uint32_t not_known = ts->counts[TRIAL_DIVERGED] + ts->counts[TRIAL_UNKNOWN];
	uint32_t machine_only = ts->a->expect ? 0 : ts->counts[TRIAL_MACHINE_ONLY];

	if (ts->a->expect ? ts->counts[TRIAL_DIFFERENT] || ts->counts[TRIAL_GONE]
			  : ts->counts[TRIAL_DIFFERENT] || ts->failures)
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
		error_("'--machine' and '--native-only' leave nothing to run (give one of them)");
		return STATUS_USAGE;
	}
	for (int i = 0; i < argc; i++)
		ts.missing |= add_operand(&ts, argv[i]) != 0;
	vec_each (&ts.files, i)
		if (test_one(&ts, ts.files.at[i])) {
			ts.broken++;
			junit_broken(&ts.junit, ts.files.at[i]);
		}
	if (ts.files.n > 1 || ts.broken)
		print_sum(&ts);
	status = status_of(&ts);
	if (a->junit && junit_write(&ts.junit, a->junit))
		status = STATUS_FAILED;
	junit_release(&ts.junit);
	vec_each (&ts.programs, i)
		trial_program_release(&ts.programs.at[i]);
	vec_release(&ts.programs);
	vec_each (&ts.files, i)
		free(ts.files.at[i]);
	vec_release(&ts.files);
	return status;
}

const struct command cmd_test = {
	.synopsis = "[options] FILE-OR-DIRECTORY...",
	.about = "Runs test cases, as heddle explore writes them, on the real program: with their\n"
		 "inputs, under their schedules, and says whether it did what they say. Of a\n"
		 "directory all tests are taken. Exit code 66: some failed, as they say or otherwise;\n"
		 "0: none did; 3: a schedule could not be followed, or a failure shows on heddle's\n"
		 "machine only. With --expect, 0 if all did what they say, failures too, and else 66.",
	.opts = test_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct test_args),
	.min = 1,
	.max = -1,
	.run = test_command,
};
