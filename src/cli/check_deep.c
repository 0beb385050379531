#include "cli/check_deep.h"

#include "base/base.h"
#include "base/diag.h"
#include "cli/find_program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_SECONDS = 300, RUN_SECONDS = 20 };

static volatile int interrupted;

/* The first signal ends the search after the current step; the second ends heddle. */
static void on_signal(int sig)
{
	interrupted = 1;
	signal(sig, SIG_DFL);
}

static void catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	interrupted = 0;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static void on_found(void *ctx, struct finding *f)
{
	analysis_found(ctx, f);
}

static void on_progress(void *ctx, const char *what, uint64_t done, uint64_t of)
{
	analysis_progress(ctx, what, done, of);
}

static int search_deep(struct analysis *c, const struct check_deep_args *a, char **argv,
	const char *exe, const char *cwd, const char *dir)
{
	VEC(const char *) exclude = {0};
	struct deep_options opt = {
		.run = {.exe = exe,
			.argv = argv,
			.cwd = cwd,
			.input = c->input,
			.quiet = true,
			.seconds = a->timeout ? (double)a->timeout : RUN_SECONDS},
		.predict = c->opt,
		.seconds = c->a->seconds ? (double)c->a->seconds : DEFAULT_SECONDS,
		.runs = a->max_runs,
		.jobs = c->opt.jobs,
		.dir = dir,
		.resume = a->resume,
		.stop = &interrupted,
		.progress = on_progress,
		.ctx = c,
	};
	int rc;

	vec_each (&a->exclude, i)
		vec_push(&exclude, a->exclude.at[i]);
	vec_push(&exclude, NULL);
	opt.run.exclude = exclude.at;
	opt.predict.found = on_found;
	opt.predict.progress = NULL;
	opt.predict.ctx = c;
	c->deep = xcalloc(1, sizeof *c->deep);
	rc = deep(&opt, c->deep);
	vec_release(&exclude);
	return rc;
}

int check_deep(struct analysis *c, const struct check_deep_args *a, int argc, char **argv)
{
	char *found = find_program(argv[0]), *exe = realpath(found, NULL), *cwd = getcwd(NULL, 0);
	char *dir = findings_path(c->db, "deep/");
	int rc = -1;

	if (dir)
		dir[strlen(dir) - 1] = 0; /* the slash makes findings_path() create a directory */
	(void)argc;
	catch_signals();
	if (!exe)
		error_("cannot run '%s': no such file", found);
	else if (dir)
		rc = search_deep(c, a, argv, exe, cwd, dir);
	if (!rc && interrupted)
		note_("interrupted ('heddle check --resume' with the same program continues)");
	free(dir);
	free(found);
	free(exe);
	free(cwd);
	return rc;
}
