#include "cli/check_explore.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cli/analysis_stage.h"
#include "cli/explore_report.h"
#include "cli/load_test_program.h"
#include "cli/standard_input.h"
#include "replay/explored.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_INSTRUCTIONS = 100000000 }; /* of one path */
/* After a confirmed failure the exploration goes on as long as it took so far, and so many seconds.
 */
static const double seconds_after_failure = 1;

const char check_explore_changed[] =
	"what the program reads from outside may have changed since the recorded run";

struct exploration {
	struct analysis *c;
	const struct replay_options *run; /* the program */
	int argc;
	double began, end; /* end: asks itself to stop then; in clock_seconds() */
	volatile sig_atomic_t stop;
	uint32_t confirmed; /* findings before it */
	int status[2];      /* exit statuses of paths: the first, and another one */
	uint32_t nstatus;
	bool unwanted;      /* failures of kinds that the user does not want ended paths */
};

static void on_progress(void *ctx, struct explore *ex)
{
	struct exploration *x = ctx;
	struct analysis *c = x->c;

	c->explored->paths = explore_stats(ex)->paths;
	c->explored->seconds = clock_seconds() - x->began;
	analysis_progress(c, "exploration: paths", c->explored->paths, 0);
	stage_send_explored(c->to, c->explored); /* the command has this if the stage is killed */
	x->stop = *stage_stop() || clock_seconds() > x->end;
}

static void note_status(struct exploration *x, int status)
{
	if (!x->nstatus || (x->nstatus == 1 && x->status[0] != status))
		x->status[x->nstatus++] = status;
}

static void on_path(void *ctx, struct explore *ex, const struct explore_path *path)
{
	struct exploration *x = ctx;
	struct analysis *c = x->c;
	struct finding *f;

	(void)ex;
	if (path->end == END_EXIT && path->tc)
		note_status(x, path->tc->status & 255);
	if (!path->is_new || !path->tc) /* without inputs the path is incomplete, which is a gap */
		return;
	f = explored_finding(path->tc, NULL);
	if (!analysis_wants(c, f)) {
		x->unwanted = true;
		finding_free(f);
		return;
	}
	analysis_found(c, f);
	if (analysis_count(c, FINDING_CONFIRMED) > x->confirmed)
		x->end = MIN(x->end, 2 * clock_seconds() - x->began + seconds_after_failure);
}

/* Why not every schedule of the input was explored. */
static void add_gaps(struct exploration *x, struct explore *ex)
{
	struct verdict v = {0};
	uint32_t claim = verdict_claim(&v, CLAIM_INPUT, NULL);

	explore_verdict_gaps(&v, claim, ex, "");
	if (explore_reads_clock(ex))
		verdict_gap(
			&v, claim, "the program may read the clock: other times were not explored");
	if (x->nstatus > 1)
		verdict_gap(&v, claim,
			"a schedule ends with exit status %d, another with %d: whether that is a "
			"failure is not known",
			x->status[0], x->status[1]);
	if (x->unwanted)
		verdict_gap(&v, claim,
			"paths ended at failures of kinds that are not searched for (--only, "
			"--no)");
	if (x->c->deep && x->c->deep->changed)
		verdict_gap(&v, claim, "%s", check_explore_changed);
	vec_each (&v.claims.at[claim].gaps, i)
		vec_push(&x->c->explored->gaps, xstrdup(v.claims.at[claim].gaps.at[i]));
	verdict_release(&v);
}

static int explore_input(struct exploration *x, struct explore *ex)
{
	struct explored_stats *e = x->c->explored;
	int rc = explore_run(ex);

	if (rc)
		return -1;
	e->ended = true;
	e->paths = explore_stats(ex)->paths;
	e->seconds = clock_seconds() - x->began;
	add_gaps(x, ex);
	return 0;
}

static int explore_in_stage(struct analysis *c, void *ctx)
{
	struct exploration *x = ctx;
	struct test_program tp;
	struct inputs inputs;
	struct explore_options opt = {.switches = EXEC_SWITCH_ACCESS,
		.seconds = MAX(analysis_seconds_left(c), 0.01),
		.max_instructions = MOST_INSTRUCTIONS,
		.max_memory = c->opt.memory / 2,
		.preemptions = UINT32_MAX,
		.spurious = c->a->spurious,
		.inputs = &inputs,
		.program = x->run->exe,
		.tests = EXPLORE_TESTS_NONE,
		.interrupted = &x->stop,
		.progress = on_progress,
		.ended = on_path,
		.ctx = x};
	struct explore *ex;
	int rc = -1;

	if (load_test_program(&tp, x->run->exe))
		return -1;
	inputs_init(&inputs);
	opt.identity = tp.identity;
	c->tests = &tp;
	x->began = clock_seconds();
	x->end = INFINITY; /* of time it has opt.seconds */
	ex = standard_input_rewind(c->input)
		     ? NULL
		     : explore_new(tp.p, x->argc, x->run->argv, environ, &opt);
	if (ex && explore_has_inputs(ex)) {
		vec_push(&c->explored->gaps, xstrdup("the program has symbolic inputs: 'heddle "
						     "explore' explores them"));
		rc = 0;
	} else if (ex) {
		rc = explore_input(x, ex);
	}
	if (ex)
		explore_free(ex);
	stage_send_explored(c->to, c->explored);
	inputs_release(&inputs);
	c->tests = NULL;
	test_program_release(&tp);
	return rc;
}

void check_explore(
	struct analysis *c, const struct check_deep_args *a, int argc, char **argv, double until)
{
	struct replay_options run;
	struct check_program p;
	struct exploration x = {.c = c,
		.run = &run,
		.argc = argc,
		.confirmed = analysis_count(c, FINDING_CONFIRMED)};
	struct analysis_stage s = {
		.doing = "the exploration", .work = explore_in_stage, .ctx = &x, .until = until};
	char *why = NULL;
	int rc = check_program_init(&p, c, a, argv, &run);

	c->explored = xcalloc(1, sizeof *c->explored);
	if (!rc)
		rc = analysis_stage_run(c, &s, &why);
	if (rc)
		why = xstrdup("the exploration failed: see the error");
	if (why) {
		c->explored->ended = false;
		vec_push(&c->explored->gaps, why);
	}
	check_program_release(&p);
}
