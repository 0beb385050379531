/*
 * `heddle verify`: checks a finding against the current program. If the program has not changed,
 * its schedule is replayed; else the witness is transferred by source place (replay/verify.h).
 */
#include "base/base.h"
#include "base/file.h"
#include "replay/trial.h"
#include "replay/verify.h"

#include "base/diag.h"
#include "cli/command.h"
#include "cli/finding_args.h"

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
		"look so long for the failure in free runs and random\n"
		"schedules, 10 by default"),
	OPT_NUMBER(0, "seed", struct verify_args, seed, "N", 0, UINT64_MAX / 2,
		"of the first random schedule, 1 by default"),
	OPT_END,
};

static void report(const struct finding *f, const struct verify_result *r)
{
	printf("%s: %s\n", f->name, f->title);
	switch (r->verdict) {
	case VERIFY_FAILS:
		printf("still fails: %s\n", r->text.s);
		if (r->by_random)
			printf("by a random schedule: heddle fuzz --runs 1 --seed %" PRIu64 "\n",
				r->seed);
		else
			printf("by %s\n",
				r->by_witness ? "its witness, carried over" : "a free run");
		break;
	case VERIFY_BLOCKED:
		printf("blocked at step %u of %u by %s\n", r->step, r->of, r->text.s);
		break;
	case VERIFY_FOLLOWED: printf("its witness was followed to the end: %s\n", r->text.s); break;
	case VERIFY_NOT_REACHED:
		printf("not reached: step %u of %u: %s\n", r->step, r->of, r->text.s);
		break;
	}
	if (r->verdict != VERIFY_FAILS)
		printf("%" PRIu64 " free and random runs: none failed\n", r->runs);
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
		report(f, &res);
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
	note_("'%s' is what it was when %s was found: its schedule is replayed", f->exe, f->name);
	if (replay_confirm(f, NULL))
		return STATUS_FAILED;
	printf("%s: %s\n", f->name, f->title);
	if (f->status == FINDING_CONFIRMED) {
		printf("still fails: %s\n", f->outcome ? f->outcome : "seen again");
		return STATUS_FOUND;
	}
	printf("not seen: %s\n", f->divergence ? f->divergence : f->outcome ? f->outcome : "");
	return f->divergence ? STATUS_INCONCLUSIVE : STATUS_NOTHING;
}

/* A finding of `heddle explore`: runs its test case on the current program. */
static int verify_explored(struct finding *f, const struct verify_args *a)
{
	int verdict = finding_try(f, false, (double)a->seconds);
	const char *what = f->divergence ? f->divergence : f->outcome;

	if (verdict < 0)
		return STATUS_FAILED;
	printf("%s: %s\n", f->name, f->title);
	switch ((enum trial_verdict)verdict) {
	case TRIAL_SAME: printf("still fails: %s\n", what); return STATUS_FOUND;
	case TRIAL_MACHINE_ONLY:
		printf("still fails, on heddle's machine only: %s\n", what);
		return STATUS_INCONCLUSIVE;
	case TRIAL_GONE: printf("not seen: %s\n", what); return STATUS_NOTHING;
	case TRIAL_DIFFERENT: printf("another outcome: %s\n", what); return STATUS_INCONCLUSIVE;
	case TRIAL_DIVERGED: printf("diverged: %s\n", what); return STATUS_INCONCLUSIVE;
	case TRIAL_UNKNOWN: printf("not known: %s\n", what); return STATUS_INCONCLUSIVE;
	case TRIAL_NVERDICTS: break;
	}
	BUG("verdict %d", verdict);
}

static int verify_command(void *args, int argc, char **argv)
{
	const struct verify_args *a = args;
	struct finding *f = finding_named(a->dir, argv[0]);
	uint64_t now;
	int status = STATUS_FAILED;

	(void)argc;
	if (!f)
		return STATUS_FAILED;
	if (f->test)
		status = verify_explored(f, a);
	else if (!replay_bitcode(f->exe, &now))
		status = now == f->bitcode ? verify_same(f) : verify_changed(f, a);
	finding_free(f);
	return status;
}

const struct command cmd_verify = {
	.synopsis = "[options] FINDING",
	.about =
		"Says whether a program that was changed and built again still has the failure of "
		"a\n"
		"finding. The schedule that showed it is carried over by source place and followed "
		"as\n"
		"far as it goes; then free runs and random schedules look for the failure. Exit "
		"code "
		"66:\n"
		"it still fails; 0: a lock is in the way now, or it does not show any more; 3: "
		"the\n"
		"program does not come to the places any more, and nothing failed.",
	.opts = verify_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct verify_args),
	.min = 1,
	.max = 1,
	.run = verify_command,
};
