/* The stages of recorded runs: their recording, and the prediction from them. */
#include "cli/analysis_stage.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cli/target.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

/* The part of the time that recording may take; the rest is for the analysis. */
static const double recording_part = 0.75;

/* ---- recording ------------------------------------------------------------------------------- */

struct recording_work {
	struct record_runs_args a;
	int argc;
	char **argv;
};

/* The command has the runs before if the stage is killed in a later one. */
static void on_recorded(void *ctx, const char *dir, enum observed_end end)
{
	const struct analysis *c = ctx;

	stage_send_run(c->to, dir, end);
}

static int record_in_stage(struct analysis *c, void *ctx)
{
	struct recording_work *w = ctx;
	struct recorded_runs r = {0};
	int rc;

	w->a.until = c->until;
	w->a.recorded = on_recorded;
	w->a.ctx = c;
	rc = record_runs(&w->a, c->db, c->input, w->argc, w->argv, &r);
	recorded_runs_release(&r);
	return rc;
}

int analysis_record(struct analysis *c, const struct record_runs_args *a, int argc, char **argv,
	struct recorded_runs *out)
{
	struct recording_work w = {.a = *a, .argc = argc, .argv = argv};
	struct analysis_stage s = {.doing = "the recording",
		.work = record_in_stage,
		.ctx = &w,
		.until = clock_seconds() + supervisor_left(&c->sup) * recording_part,
		.forwards = true,
		.runs = out};
	char *why;
	int rc = analysis_stage_run(c, &s, &why);

	if (why)
		analysis_limit(c, why);
	else if (c->sup.interrupted) /* the program got the signal, too */
		c->n.ended_by = c->sup.interrupted;
	else if (!rc && out->dirs.n < a->runs)
		verdict_gap(&c->verdict, 0,
			"only %u of %" PRIu64 " runs were recorded in their part of "
			"the time (--seconds)",
			out->dirs.n, a->runs);
	free(why);
	return rc;
}

/* ---- prediction ------------------------------------------------------------------------------ */

struct recorded_work {
	char *const *dirs;
	const enum observed_end *how;
	uint32_t n;
};

static int analyse_in_stage(struct analysis *c, void *ctx)
{
	const struct recorded_work *w = ctx;

	return analyse_runs(c, w->dirs, w->how, w->n);
}

int analysis_runs(struct analysis *c, char *const *dirs, const enum observed_end *how, uint32_t n,
	double until)
{
	struct recorded_work w = {dirs, how, n};
	struct analysis_stage s = {.doing = "the prediction from the recorded run",
		.work = analyse_in_stage,
		.ctx = &w,
		.until = until};
	char *why;
	int rc;

	if (!n) /* the recording has the reason */
		return 0;
	rc = analysis_stage_run(c, &s, &why);
	c->too_long = s.end == STAGE_TIME;
	if (why)
		analysis_limit(c, why);
	free(why);
	return rc;
}
