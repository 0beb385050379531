/*
 * `heddle check`: looks for failures under other schedules of a program and reports them, in stages
 * that share one budget. Standard input, arguments, environment and directory are the user's own.
 *
 *	record    runs of the program                                    analysis_recorded.c
 *	predict   from the recorded runs                                 analysis_recorded.c
 *	deep      run schedules that take other paths, and predict from
 *	          them, until every schedule of the input is covered     check_deep.c
 *	explore   every schedule of the input on heddle's machine, which
 *	          ends soon where they are few                           check_explore.c
 *	random    schedules, in the time that is left                    check_random.c
 *
 * A proof ends it, and so does a confirmed failure at the end of its stage. If the prediction did not
 * end in its time, the run is long for every stage that re-executes it: random schedules, which do not,
 * come first then, for a part of the time.
 */
#include "base/base.h"
#include "base/clock.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/check_deep.h"
#include "cli/check_explore.h"
#include "cli/check_random.h"
#include "cli/standard_input.h"

#include <stdlib.h>

struct check_args {
	struct analysis_args c;
	struct record_runs_args r;
	struct check_deep_args d;
};

static const struct opt check_opts[] = {
	CHECK_DEEP_OPTS(struct check_args, d),
	OPT_FLAG(0, "spurious", struct check_args, c.spurious,
		"waits on condition variables without a time limit may also\n"
		"end without a signal, as POSIX allows"),
	RECORD_RUNS_OPTS(struct check_args, r),
	ANALYSIS_OPTS(struct check_args, c),
	OPT_END,
};

/* The part of the time that is left that a stage may use, if other stages come after it. */
static const double prediction_part = 0.5, deep_part = 0.6, explore_part = 0.6, early_part = 0.3;

static double get_end(const struct analysis *c, double part)
{
	return clock_seconds() + supervisor_left(&c->sup) * part;
}

/* The program failed. A race or an atomicity violation is not a failure yet, and may show as one on
 * another path. */
static bool has_failed(struct analysis *c)
{
	const uint32_t conditions = 1u << FAULT_RACE | 1u << FAULT_ATOMICITY;

	vec_each (&c->found, i) {
		const struct finding *f = c->found.at[i];

		if (set_aside_has(&c->aside, f))
			continue;
		if ((f->status == FINDING_CONFIRMED || f->status == FINDING_OBSERVED) &&
			(f->kind >= (int)NPREDICTED || !(conditions >> f->kind & 1)))
			return true;
	}
	return false;
}

/* The options ask for less than all schedules: the claim would not be theirs. */
static bool is_restricted(const struct check_args *a)
{
	return a->c.model || a->c.switches || a->c.partition || a->c.no_replay;
}

static bool wants_deep(const struct check_args *a)
{
	return a->d.deep || a->d.resume || (!a->d.quick && !is_restricted(a));
}

/* Why there is no use in another stage; NULL: there is. */
static const char *find_end(struct analysis *c)
{
	if (c->sup.interrupted)
		return "a signal interrupted the command before the search for other paths";
	if (has_failed(c))
		return "other paths were not searched for, because a failure is confirmed (see "
		       "--deep)";
	return supervisor_left(&c->sup) > 0
		       ? NULL
		       : "no time was left to search for other paths (--seconds)";
}

/* There is a use in a stage after the search for other paths, which goes on after a race. */
static bool goes_on(struct analysis *c)
{
	return !find_end(c) && !analysis_count(c, FINDING_CONFIRMED);
}

/* A stage has examined every schedule that the options ask for. */
static bool is_proved(const struct analysis *c)
{
	if (c->explored && c->explored->ended && !c->explored->gaps.n)
		return true;
	return c->deep && c->deep->complete && !c->a->spurious;
}

/* The exploration reads files and the like as they are now. A search of one run shows whether they are
 * those of the recorded run; its own limits say nothing of the exploration. */
static int compare_input(const struct check_args *a, struct analysis *c, char **argv)
{
	struct check_deep_args one = a->d;
	int rc;

	one.max_runs = 1;
	rc = check_deep(c, &one, argv, get_end(c, deep_part));
	if (!c->deep->runs || c->deep->changed)
		vec_push(&c->explored->gaps, xstrdup(check_explore_changed));
	deep_stats_release(c->deep);
	free(c->deep);
	c->deep = NULL;
	return rc;
}

/* The stages after prediction. Only the exploration has spurious wake-ups, so that it comes before the
 * search for other paths then. */
static int check_other_paths(struct check_args *a, struct analysis *c, int argc, char **argv)
{
	bool only_deep = a->d.deep || a->d.resume;
	const char *end;
	int rc = 0;

	a->d.timeout = a->r.timeout;
	a->d.exclude = a->r.exclude;
	if (c->too_long && !only_deep && !find_end(c))
		check_random(c, &a->d, argv, get_end(c, early_part));
	end = find_end(c);
	if (end && (c->sup.interrupted || !only_deep)) {
		c->no_deep = xstrdup(end);
		return 0;
	}
	if (c->a->spurious)
		check_explore(c, &a->d, argc, argv, get_end(c, explore_part));
	if (c->a->spurious && !only_deep && is_proved(c))
		rc = compare_input(a, c, argv);
	if (!rc && (only_deep || (!find_end(c) && !is_proved(c))))
		rc = check_deep(c, &a->d, argv, get_end(c, only_deep ? 1 : deep_part));
	if (!rc && !only_deep && !c->explored && goes_on(c) && !is_proved(c))
		check_explore(c, &a->d, argc, argv, get_end(c, explore_part));
	if (!rc && !only_deep && goes_on(c) && !is_proved(c))
		check_random(c, &a->d, argv, c->sup.deadline);
	return rc;
}

static int check_runs(struct check_args *a, struct analysis *c, int argc, char **argv)
{
	struct recorded_runs r = {0};
	bool more = wants_deep(a);
	int rc = 0;

	if (!a->d.resume) {
		rc = analysis_record(c, &a->r, argc, argv, &r);
		if (!rc)
			rc = analysis_runs(c, r.dirs.at, r.ends.at, r.dirs.n,
				get_end(c, more ? prediction_part : 1));
	}
	a->d.recorded = &r;
	if (!rc && more)
		rc = check_other_paths(a, c, argc, argv);
	recorded_runs_release(&r);
	return rc ? STATUS_FAILED : analysis_conclude(c);
}

static int check_command(void *args, int argc, char **argv)
{
	struct check_args *a = args;
	double began = clock_seconds(), until = began + (double)analysis_seconds(&a->c);
	int status = STATUS_FAILED;
	struct analysis c = {0};
	char *input = NULL;

	if (!standard_input_keep(a->c.dir ? a->c.dir : ".", until, &input))
		status = analysis_open(&c, &a->c, input);
	c.sup.deadline = until; /* the input was read in this time, too */
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
		"Runs a program built by heddle-cc and finds the failures that other schedules of\n"
		"the same input show: assertion failures, data races, atomicity violations,\n"
		"deadlocks, misuse of memory and locks. It predicts them from the recorded run,\n"
		"then runs schedules that take other branches until every schedule of the input "
		"is\n"
		"covered, then explores those that are left on heddle's machine, then runs random\n"
		"ones, until a failure is confirmed, or the time is used up.\n"
		"Each finding is replayed on the real program and kept in .heddle: 'heddle replay\n"
		"H1' shows it again, 'heddle verify H1' checks whether a fix works.",
	.opts = check_opts,
	.lists_faults = true,
	.args_size = sizeof(struct check_args),
	.min = 1,
	.max = -1,
	.run = check_command,
};
