#include "cli/check_random.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "cli/analysis_stage.h"
#include "cli/find_program.h"
#include "image/image.h"
#include "replay/failure.h"
#include "replay/replay.h"

#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 3, FIRST_LENGTH = 1000 };

struct random_search {
	struct analysis *c;
	struct replay_options opt;
	struct failure_options how;
	struct map schedules; /* hashes of runs */
	struct map keys;      /* failure_key() of failures that are known */
	uint32_t known;       /* findings of earlier stages */
	uint64_t points;      /* the largest number of scheduling points of a run */
};

/* The user wants failures of that kind. A run that does not end in time is no failure: a random
 * schedule may keep a thread from running that another one waits for. */
static bool is_wanted(const struct analysis *c, const struct finding *f)
{
	return f->kind != FAULT_HANG && analysis_wants(c, f);
}

/* The command has the failure if its places are not found in time. */
static void send_seen(void *ctx, const struct finding *f)
{
	const struct analysis *c = ctx;

	if (is_wanted(c, f))
		stage_send_finding(c->to, f, true);
}

static int keep_failure(struct random_search *s, const struct replay_result *r)
{
	uint64_t *known = map_put(&s->keys, failure_key(r));
	struct finding *f;

	if (*known)
		return 0;
	*known = 1;
	f = failure_finding(&s->opt, r, &s->how);
	if (!f)
		return -1;
	if (is_wanted(s->c, f)) {
		analysis_found(s->c, f);
	} else {
		stage_send_finding(s->c->to, NULL, false);
		finding_free(f);
	}
	return 0;
}

static int run_once(struct random_search *s)
{
	struct analysis *c = s->c;
	struct replay_result r = {0};
	int rc;

	s->opt.seed = ++c->n.random_runs;
	s->opt.length = s->points ? s->points : FIRST_LENGTH;
	rc = replay_run(&s->opt, NULL, &r);
	if (!rc) {
		s->points = MAX(s->points, r.out.points);
		map_put(&s->schedules, r.out.hash);
		c->n.random_schedules = s->schedules.n;
		if (failure_is(&r) && r.out.fate != SCHED_STUCK)
			rc = keep_failure(s, &r);
	}
	replay_result_release(&r);
	return rc;
}

static bool goes_on(const struct random_search *s)
{
	return !*stage_stop() && analysis_seconds_left(s->c) > 0 && s->c->found.n == s->known;
}

static int run_random_schedules(struct analysis *c, void *ctx)
{
	struct random_search s = {.c = c,
		.opt = *(struct replay_options *)ctx,
		.how = {.seconds = 3, .seen = send_seen, .ctx = c},
		.known = c->found.n};
	char *base = temporary_directory("random"),
	     *scratch = xasprintf("%s/trace", base ? base : "");
	double told = clock_seconds();
	int rc = base && !replay_bitcode(s.opt.exe, &s.how.bitcode) ? 0 : -1;

	s.how.scratch = scratch;
	while (!rc && goes_on(&s)) {
		analysis_progress(c, "random schedules", c->n.random_runs, 0);
		rc = run_once(&s);
		if (clock_seconds() - told > 0.5) {
			stage_send_counts(c->to, &c->n);
			told = clock_seconds();
		}
	}
	map_release(&s.schedules);
	map_release(&s.keys);
	if (base)
		rmdir(base);
	free(base);
	free(scratch);
	return rc;
}

void check_random(struct analysis *c, const struct check_deep_args *a, char **argv, double until)
{
	struct check_program p;
	struct analysis_stage s = {.doing = "random schedules",
		.work = run_random_schedules,
		.until = until};
	struct replay_options opt;
	char *why = NULL;
	int rc = check_program_init(&p, c, a, argv, &opt);

	opt.mode = SCHED_PCT;
	opt.depth = DEPTH;
	s.ctx = &opt;
	if (!rc)
		analysis_stage_run(c, &s, &why);
	free(why); /* this stage has no claim that the reason withdraws */
	check_program_release(&p);
}
