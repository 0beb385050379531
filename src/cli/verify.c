/*
 * `heddle verify`: checks a finding against the current program. If the program has not changed,
 * its schedule is replayed; else the witness is transferred by source place (replay/verify.h).
 */
#include "base/base.h"
#include "base/file.h"
#include "replay/test_run.h"
#include "replay/verify.h"

#include "base/diag.h"
#include "base/print.h"
#include "cli/command.h"
#include "cli/finding_args.h"
#include "cli/named_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct verify_args {
	const char *dir;
	uint64_t seconds, seed;
};

static const struct opt verify_opts[] = {
	OPT_STRING('C', "dir", struct verify_args, dir, "DIR",
		"the findings are those of DIR/.heddle; of this directory\n"
		"by default"),
	OPT_NUMBER('s', "seconds", struct verify_args, seconds, "N", 1, 1000000,
		"run the program for N seconds, first without and then\n"
		"with random schedules, 10 by default"),
	OPT_NUMBER(0, "seed", struct verify_args, seed, "N", 0, UINT64_MAX / 2,
		"seed of the first random schedule, 1 by default"),
	OPT_END,
};

static void report_result(const struct finding *f, const struct verify_result *r)
{
	print_clean(stdout, "%s: %s\n", f->name, f->title);
	switch (r->verdict) {
	case VERIFY_FAILS:
		print_clean(stdout, "still fails: %s\n", r->text.s);
		if (r->by_random)
			print_clean(stdout,
				"under a random schedule: heddle fuzz --runs 1 --seed %" PRIu64
				"\n",
				r->seed);
		else
			print_clean(stdout, "%s\n",
				r->by_witness ? "under the schedule of the finding"
					      : "in a run that heddle did not control");
		break;
	case VERIFY_BLOCKED:
		print_clean(stdout, "blocked at segment %u of %u of the schedule by %s\n", r->step,
			r->of, r->text.s);
		break;
	case VERIFY_FOLLOWED:
		print_clean(stdout, "the schedule of the finding was executed to its end: %s\n",
			r->text.s);
		break;
	case VERIFY_NOT_REACHED:
		print_clean(stdout, "not reached: segment %u of %u of the schedule: %s\n", r->step,
			r->of, r->text.s);
		break;
	}
	if (r->verdict != VERIFY_FAILS)
		print_clean(stdout,
			"%" PRIu64 " runs without and with random schedules: none failed\n",
			r->runs);
}

static int status_of(const struct verify_result *r)
{
	if (r->verdict == VERIFY_FAILS)
		return STATUS_FOUND;
	return r->verdict == VERIFY_NOT_REACHED ? STATUS_INCONCLUSIVE : STATUS_NOTHING;
}

static int verify_changed(const struct finding *f, const struct verify_args *a)
{
	char *base = temporary_directory("verify");
	struct verify_options opt = {
		.seconds = a->seconds ? (double)a->seconds : 10, .seed = a->seed ? a->seed : 1};
	struct verify_result res = {0};
	char *scratch;
	int status = STATUS_FAILED;

	if (!base)
		return STATUS_FAILED;
	scratch = xasprintf("%s/trace", base);
	opt.scratch = scratch;
	if (!verify(f, &opt, &res)) {
		report_result(f, &res);
		status = status_of(&res);
	}
	verify_result_release(&res);
	rmdir(base);
	free(base);
	free(scratch);
	return status;
}

static int verify_same(struct finding *f)
{
	note_("'%s' has not changed since %s was found: its schedule is replayed", f->exe, f->name);
	if (replay_confirm(f, NULL))
		return STATUS_FAILED;
	print_clean(stdout, "%s: %s\n", f->name, f->title);
	if (f->status == FINDING_CONFIRMED) {
		print_clean(stdout, "still fails: %s\n", f->outcome ? f->outcome : "seen again");
		return STATUS_FOUND;
	}
	print_clean(stdout, "not seen: %s\n",
		f->divergence ? f->divergence
		: f->outcome  ? f->outcome
			      : "");
	return f->divergence ? STATUS_INCONCLUSIVE : STATUS_NOTHING;
}

/* A finding of `heddle explore`: runs its test case on the current program. */
static int verify_explored(struct finding *f, const struct verify_args *a)
{
	int verdict = finding_confirm(f, (double)a->seconds);
	const char *what = f->divergence ? f->divergence : f->outcome;

	if (verdict < 0)
		return STATUS_FAILED;
	print_clean(stdout, "%s: %s\n", f->name, f->title);
	switch ((enum test_verdict)verdict) {
	case TEST_SAME: print_clean(stdout, "still fails: %s\n", what); return STATUS_FOUND;
	case TEST_MACHINE_ONLY:
		print_clean(stdout, "still fails, on heddle's machine only: %s\n", what);
		return STATUS_INCONCLUSIVE;
	case TEST_GONE: print_clean(stdout, "not seen: %s\n", what); return STATUS_NOTHING;
	case TEST_DIFFERENT:
		print_clean(stdout, "another outcome: %s\n", what);
		return STATUS_INCONCLUSIVE;
	case TEST_DIVERGED: print_clean(stdout, "diverged: %s\n", what); return STATUS_INCONCLUSIVE;
	case TEST_UNKNOWN: print_clean(stdout, "unknown: %s\n", what); return STATUS_INCONCLUSIVE;
	case TEST_NVERDICTS: break;
	}
	BUG("verdict %d", verdict);
}

static int verify_command(void *args, int argc, char **argv)
{
	const struct verify_args *a = args;
	struct finding *f = finding_named(a->dir, argv[0]);
	struct named_program named = {0};
	uint64_t now;
	int status = STATUS_FAILED;

	(void)argc;
	if (!f)
		return STATUS_FAILED;
	named_program_show(&named, f);
	named_program_release(&named);
	if (f->test)
		status = verify_explored(f, a);
	else if (!replay_bitcode(f->exe, &now))
		status = now == f->bitcode ? verify_same(f) : verify_changed(f, a);
	finding_free(f);
	return status;
}

const struct command cmd_verify = {
	.synopsis = "[options] FINDING",
	.about = "Checks whether a program that was changed and built again still has the failure\n"
		 "of a finding. Runs the program under the schedule of the finding, whose places\n"
		 "are looked up in the changed source, then without and with random schedules.\n"
		 "Exit code 66: it still fails; 0: a lock blocks the schedule, or no run failed;\n"
		 "3: the program does not reach the places of the schedule, and no run failed.",
	.opts = verify_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct verify_args),
	.min = 1,
	.max = 1,
	.run = verify_command,
};
