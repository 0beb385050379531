#include "cli/check_deep.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cli/analysis_stage.h"
#include "cli/find_program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_SECONDS = 20 };

/* ---- the program ----------------------------------------------------------------------------- */

int check_program_init(struct check_program *p, const struct analysis *c,
	const struct check_deep_args *a, char **argv, struct replay_options *opt)
{
	char *found = find_program(argv[0]);

	*p = (struct check_program){
		.exe = found ? realpath(found, NULL) : NULL, .cwd = getcwd(NULL, 0)};
	vec_each (&a->exclude, i)
		vec_push(&p->exclude, a->exclude.at[i]);
	vec_push(&p->exclude, NULL);
	*opt = (struct replay_options){.exe = p->exe,
		.argv = argv,
		.cwd = p->cwd,
		.input = c->input,
		.exclude = p->exclude.at,
		.quiet = true,
		.seconds = a->timeout ? (double)a->timeout : RUN_SECONDS};
	if (found && !p->exe)
		error_("cannot run '%s': no such file", found);
	free(found);
	return p->exe ? 0 : -1;
}

void check_program_release(struct check_program *p)
{
	free(p->exe);
	free(p->cwd);
	vec_release(&p->exclude);
}

/* ---- the search ------------------------------------------------------------------------------ */

static void on_found(void *ctx, struct finding *f)
{
	analysis_found(ctx, f);
}

static void on_progress(void *ctx, const char *what, uint64_t done, uint64_t of)
{
	struct analysis *c = ctx;

	analysis_progress(c, what, done, of);
	stage_send_deep(c->to, c->deep); /* the command has this if the search is killed */
}

static int search_in_stage(struct analysis *c, void *ctx)
{
	struct deep_options *opt = ctx;
	int rc;

	opt->seconds = MAX(analysis_seconds_left(c), 0.01);
	rc = deep(opt, c->deep);
	stage_send_deep(c->to, c->deep);
	return rc;
}

int check_deep(struct analysis *c, const struct check_deep_args *a, char **argv, double until)
{
	char *dir = findings_path(c->db, "deep/"), *why = NULL;
	struct check_program p;
	struct deep_options opt = {
		.predict = c->opt,
		.runs = a->max_runs,
		.jobs = c->opt.jobs,
		.dir = dir,
		.recorded = a->recorded->dirs.at,
		.nrecorded = a->recorded->dirs.n,
		.resume = a->resume,
		.stop = stage_stop(),
		.progress = on_progress,
		.ctx = c,
	};
	struct analysis_stage s = {.doing = "the search for other paths",
		.work = search_in_stage,
		.ctx = &opt,
		.until = until};
	int rc = check_program_init(&p, c, a, argv, &opt.run);

	opt.predict.found = on_found;
	opt.predict.progress = NULL;
	opt.predict.ctx = c;
	if (dir)
		dir[strlen(dir) - 1] = 0; /* the slash makes findings_path() create a directory */
	c->deep = xcalloc(1, sizeof *c->deep);
	if (!rc)
		rc = dir ? analysis_stage_run(c, &s, &why) : -1;
	if (rc && !a->resume) { /* what the stages before have found is reported */
		why = xstrdup("the search for other paths failed: see the error");
		rc = 0;
	}
	if (why) { /* the last statistics that it sent are not those of its end */
		c->deep->complete = false;
		vec_push(&c->deep->limits, why);
	}
	if (!rc && c->sup.interrupted)
		note_("interrupted ('heddle check --resume' with the same program continues)");
	check_program_release(&p);
	free(dir);
	return rc;
}
