/*
 * `heddle replay`: runs the real program under the schedule of a finding. Shows the program's
 * output, then what was seen.
 */
#include "replay/replay.h"

#include "base/diag.h"
#include "cli/command.h"
#include "cli/finding_args.h"
#include "replay/gdb.h"
#include "replay/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct replay_args {
	const char *dir, *trace;
	uint64_t times, timeout;
	bool gdb, quiet;
};

static const struct opt replay_opts[] = {
	OPT_STRING('C', "dir", struct replay_args, dir, "DIR",
		"the findings are those of DIR/.heddle; of this directory\n"
		"by default"),
	OPT_NUMBER('n', "times", struct replay_args, times, "N", 1, 1000000,
		"replay N times; each must have the same events"),
	OPT_STRING('o', "trace", struct replay_args, trace, "DIR",
		"record the replay in DIR, for 'heddle trace'"),
	OPT_NUMBER(0, "timeout", struct replay_args, timeout, "SECONDS", 1, 1000000,
		"the program is ended after so long, 60 by default"),
	OPT_FLAG('q', "quiet", struct replay_args, quiet, "without the program's own output"),
	OPT_FLAG(0, "gdb", struct replay_args, gdb,
		"in gdb, stopped at each switch; 'heddle-next' goes on to\n"
		"the next, 'heddle-where' says where every thread is. What\n"
		"follows the finding are arguments for gdb"),
	OPT_END,
};

struct replays {
	uint32_t done, seen, diverged, same; /* numbers of replays; same: hash equals `hash` */
	uint64_t hash;                       /* of the events of the first replay */
	struct strbuf first;                 /* what the first replay showed */
};

static int replay_once(struct replays *rs, const struct finding *f, const struct replay_setup *s)
{
	struct replay_result res = {0};
	struct strbuf why = {0};
	bool seen;

	fflush(NULL);
	if (replay_run(&s->opt, f, &res)) {
		replay_result_release(&res);
		return -1;
	}
	seen = replay_seen(f, &res, &why);
	if (res.out.diverged) {
		strbuf_clear(&why);
		replay_divergence(f, &res, NULL, s->opt.exe, &why);
	}
	if (!rs->done) {
		rs->hash = res.out.hash;
		strbuf_adds(&rs->first, why.s);
	}
	rs->done++;
	rs->seen += seen;
	rs->diverged += res.out.diverged;
	rs->same += res.out.hash == rs->hash;
	strbuf_release(&why);
	replay_result_release(&res);
	return 0;
}

static int conclude(const struct replays *rs, const struct finding *f)
{
	bool all = rs->seen == rs->done;

	printf("%s: %s\n", f->name, f->title);
	if (rs->diverged == rs->done)
		printf("%s\n", rs->first.s);
	else
		printf("%s: %s\n",
			all        ? "seen again"
			: rs->seen ? "seen at times"
				   : "not seen",
			rs->first.s);
	if (rs->done > 1)
		printf("%u replays: %u showed it, %u diverged, %u had the same events (hash "
		       "%016" PRIx64 ")\n",
			rs->done, rs->seen, rs->diverged, rs->same, rs->hash);
	if (f->hash && rs->hash != f->hash && !rs->diverged)
		note_("the events are not those of the replay that confirmed it");
	if (rs->diverged || rs->same != rs->done)
		return STATUS_INCONCLUSIVE;
	return all ? STATUS_FOUND : STATUS_NOTHING;
}

static int replay(const struct finding *f, const struct replay_args *a)
{
	struct replay_options opt = {.seconds = (double)a->timeout, .trace = a->trace};
	uint64_t times = a->times ? a->times : 1;
	struct replays rs = {0};
	struct replay_setup s;
	int rc;

	replay_setup_init(&s, f, &opt);
	rc = replay_setup_image(&s);
	for (uint64_t i = 0; i < times && !rc; i++) {
		s.opt.quiet = a->quiet || i;
		rc = replay_once(&rs, f, &s);
		s.opt.trace = NULL;
	}
	rc = rc ? STATUS_FAILED : conclude(&rs, f);
	strbuf_release(&rs.first);
	replay_setup_release(&s);
	return rc;
}

/* The words for each verdict on a test case, and the exit code. */
static const struct {
	const char *words;
	int status;
} verdicts[TRIAL_NVERDICTS] = {
	[TRIAL_SAME] = {"seen again", STATUS_FOUND},
	[TRIAL_MACHINE_ONLY] = {"machine only", STATUS_INCONCLUSIVE},
	[TRIAL_GONE] = {"not seen", STATUS_NOTHING},
	[TRIAL_DIFFERENT] = {"not seen", STATUS_NOTHING},
	[TRIAL_DIVERGED] = {"diverged", STATUS_INCONCLUSIVE},
	[TRIAL_UNKNOWN] = {"not known", STATUS_INCONCLUSIVE},
};

/* Replays a finding of `heddle explore`. The last replay decides: all have the same schedule. */
static int replay_explored(struct finding *f, const struct replay_args *a)
{
	uint64_t times = a->times ? a->times : 1;
	int verdict = -1;

	if (a->trace || a->gdb) {
		error_("%s was found by 'heddle explore': '%s' cannot give it its inputs", f->name,
			a->gdb ? "--gdb" : "--trace");
		return STATUS_USAGE;
	}
	for (uint64_t i = 0; i < times; i++) {
		verdict = finding_try(f, !a->quiet && !i, (double)a->timeout);
		if (verdict < 0)
			return STATUS_FAILED;
	}
	printf("%s: %s\n%s: %s\n", f->name, f->title, verdicts[verdict].words,
		f->divergence ? f->divergence : f->outcome);
	return verdicts[verdict].status;
}

static int replay_command(void *args, int argc, char **argv)
{
	const struct replay_args *a = args;
	struct finding *f;
	int status;

	if (argc > 1 && !a->gdb) {
		error_("unexpected '%s' ('heddle replay -h' says what is expected)", argv[1]);
		return STATUS_USAGE;
	}
	f = finding_named(a->dir, argv[0]);
	if (!f)
		return STATUS_FAILED;
	if (finding_is_stale(f))
		warn_("'%s' was built again since %s was found: its schedule need not fit ('heddle "
		      "verify %s' follows the change)",
			f->exe, f->name, argv[0]);
	if (argc > 1 && !strcmp(argv[1], "--"))
		argv++;
	if (f->test)
		status = replay_explored(f, a);
	else if (a->gdb)
		status = gdb_replay(f, argv + 1) < 0 ? STATUS_FAILED : STATUS_NOTHING;
	else
		status = replay(f, a);
	finding_free(f);
	return status;
}

const struct command cmd_replay = {
	.synopsis = "[options] FINDING [gdb arguments...]",
	.about =
		"Runs the program of a finding under the schedule that shows it: one thread at a "
		"time,\n"
		"switched where the finding says. The program's output is shown, then what was "
		"seen.\n"
		"FINDING is a name such as H1, or a file with a finding as JSON. Exit code 66: it\n"
		"showed again; 0: it did not; 3: the schedule could not be followed, or replays "
		"differ.",
	.opts = replay_opts,
	.args_size = sizeof(struct replay_args),
	.min = 1,
	.max = -1,
	.run = replay_command,
};
