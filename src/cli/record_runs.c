#include "cli/record_runs.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cli/standard_input.h"
#include "cli/find_program.h"
#include "cli/target.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t get_timeout(const struct record_runs_args *a)
{
	return a->timeout ? a->timeout : 120;
}

static enum observed_end to_observed(enum target_end end)
{
	return end == TARGET_HUNG      ? OBSERVED_HANG
	       : end == TARGET_TIMEOUT ? OBSERVED_TIMEOUT
				       : OBSERVED_END;
}

static void note_end(const struct record_runs_args *a, enum target_end end)
{
	if (end == TARGET_HUNG)
		note_("the program hangs: all its threads wait for each other; it was killed");
	else if (end == TARGET_TIMEOUT)
		note_("the program did not end within %" PRIu64 " s (--timeout); it was killed",
			get_timeout(a));
	else if (end == TARGET_CUT)
		note_("the program did not end in its part of the time (--seconds); it was killed");
}

static int record_run(const struct record_runs_args *a, const char *exe, int argc, char **argv,
	const char *dir, enum target_end *end)
{
	struct recording_options ro = {a->limit, 0, a->exclude};
	struct target_options to = {.watch = true,
		.seconds = (double)get_timeout(a),
		.until = a->until,
		.with_us = true};
	struct recording r;
	int status;

	if (recording_open(&r, exe, argc, argv, dir, &ro))
		return -1;
	if (target_run(&r, argv, &to, &status, end))
		return -1;
	note_end(a, *end);
	if (recording_finish(&r, &status)) {
		recording_release(&r);
		return -1;
	}
	recording_release(&r);
	return 0;
}

/* Another run would be cut. */
static bool is_late(const struct record_runs_args *a)
{
	return a->until > 0 && clock_seconds() > a->until;
}

int record_runs(const struct record_runs_args *a, struct findings *db, const char *input, int argc,
	char **argv, struct recorded_runs *out)
{
	char *exe = find_program(argv[0]);
	int rc = exe ? 0 : -1;

	for (uint64_t i = 0; i < MAX(a->runs, 1u) && !rc && !(i && is_late(a)); i++) {
		char *name = xasprintf("traces/run-%" PRIu64, i + 1);
		char *dir = findings_path(db, name);
		enum target_end end = TARGET_ENDED;

		free(name);
		if (!dir || (i && standard_input_rewind(input)))
			rc = -1;
		else
			rc = record_run(a, exe, argc, argv, dir, &end);
		if (!rc && a->recorded)
			a->recorded(a->ctx, dir, to_observed(end));
		if (dir)
			vec_push(&out->dirs, dir);
		vec_push(&out->ends, to_observed(end));
	}
	target_signals_back();
	free(exe);
	return rc;
}

void recorded_runs_release(struct recorded_runs *r)
{
	vec_each (&r->dirs, i)
		free(r->dirs.at[i]);
	vec_release(&r->dirs);
	vec_release(&r->ends);
}
