/*
 * `heddle replay`: runs the real program under the schedule of a finding. Shows the program's
 * output, then what was seen.
 */
#include "replay/replay.h"

#include "base/diag.h"
#include "base/print.h"
#include "cli/command.h"
#include "cli/finding_args.h"
#include "cli/named_program.h"
#include "replay/gdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct replay_args {
	const char *dir, *trace;
	uint64_t times, timeout;
	bool gdb, quiet, force;
};

static const struct opt replay_opts[] = {
	OPT_STRING('C', "dir", struct replay_args, dir, "DIR",
		"the findings are those of DIR/.heddle; of this directory\n"
		"by default"),
	OPT_NUMBER('n', "times", struct replay_args, times, "N", 1, 1000000,
		"replay N times; every replay must execute the same events"),
	OPT_STRING('o', "trace", struct replay_args, trace, "DIR",
		"record the replay in DIR, for 'heddle trace'"),
	OPT_NUMBER(0, "timeout", struct replay_args, timeout, "SECONDS", 1, 1000000,
		"kill the program after this time, 60 seconds by default"),
	OPT_FLAG('q', "quiet", struct replay_args, quiet, "do not show the program's output"),
	OPT_FLAG(0, "force", struct replay_args, force,
		"replay also if the program was built again since the finding\n"
		"was made"),
	OPT_FLAG(0, "gdb", struct replay_args, gdb,
		"replay in gdb and stop at each context switch; 'heddle-next'\n"
		"continues to the next one, 'heddle-where' shows the place\n"
		"of every thread. Arguments after FINDING are passed to gdb"),
	OPT_END,
};

struct replays {
	uint32_t done, diverged, same; /* numbers of replays; same: hash equals `hash` */
	uint32_t sights[NSIGHTS];      /* numbers of replays by what they showed */
	uint64_t hash;                 /* of the events of the first replay */
	struct strbuf first;           /* what the first replay showed */
};

static void count_replay(struct replays *rs, const struct finding *f, const char *exe,
	const struct replay_result *res)
{
	struct strbuf why = {0};

	rs->sights[replay_judge(f, res, &why)]++;
	if (res->out.diverged) {
		strbuf_clear(&why);
		replay_divergence(f, res, NULL, exe, &why);
	}
	if (!rs->done++) {
		rs->hash = res->out.hash;
		rs->first = why;
		why = (struct strbuf){0};
	}
	rs->diverged += res->out.diverged;
	rs->same += res->out.hash == rs->hash;
	strbuf_release(&why);
}

/* A setup serves one run: the program may change the files of a test case. */
static int replay_once(
	struct replays *rs, const struct finding *f, const struct replay_options *opt)
{
	struct replay_result res = {0};
	struct replay_setup s;
	int rc = replay_setup(&s, f, opt);

	fflush(NULL);
	if (!rc)
		rc = replay_run(&s.opt, f, &res);
	if (!rc)
		count_replay(rs, f, s.opt.exe, &res);
	replay_result_release(&res);
	replay_setup_release(&s);
	return rc;
}

static const char *verdict_of(const struct replays *rs)
{
	if (rs->sights[SIGHT_SEEN])
		return rs->sights[SIGHT_SEEN] == rs->done ? "seen again" : "seen in some replays";
	if (rs->sights[SIGHT_MACHINE_ONLY])
		return "machine only";
	return rs->sights[SIGHT_UNKNOWN] ? "unknown" : "not seen";
}

static int conclude_replays(const struct replays *rs, const struct finding *f)
{
	const char *first = rs->first.s ? rs->first.s : "";

	print_clean(stdout, "%s: %s\n", f->name, f->title);
	if (rs->diverged == rs->done)
		print_clean(stdout, "%s\n", first);
	else
		print_clean(stdout, "%s: %s\n", verdict_of(rs), first);
	if (rs->done > 1)
		print_clean(stdout,
			"%u replays: %u showed the failure, %u diverged, %u executed the same "
			"events (hash %016" PRIx64 ")\n",
			rs->done, rs->sights[SIGHT_SEEN], rs->diverged, rs->same, rs->hash);
	if (f->hash && rs->hash != f->hash && !rs->diverged)
		note_("this replay executed other events than the one that confirmed %s", f->name);
	if (rs->sights[SIGHT_DIVERGED] || rs->sights[SIGHT_MACHINE_ONLY] ||
		rs->sights[SIGHT_UNKNOWN] || rs->same != rs->done)
		return STATUS_INCONCLUSIVE;
	return rs->sights[SIGHT_SEEN] == rs->done ? STATUS_FOUND : STATUS_NOTHING;
}

/* The real program cannot be given some input of the test case, so it is not run. */
static int tell_machine_only(const struct finding *f, const char *input)
{
	print_clean(stdout,
		"%s: %s\nmachine only: heddle cannot pass the input '%s' to the real program\n",
		f->name, f->title, input);
	return STATUS_INCONCLUSIVE;
}

static int replay_finding(const struct finding *f, const struct replay_args *a)
{
	struct replay_options opt = {.seconds = (double)a->timeout, .trace = a->trace};
	const char *missing = f->test ? replay_cannot_give(f->test) : NULL;
	uint64_t times = a->times ? a->times : 1;
	struct replays rs = {0};
	int rc = 0;

	if (missing)
		return tell_machine_only(f, missing);
	for (uint64_t i = 0; i < times && !rc; i++) {
		opt.quiet = a->quiet || i;
		rc = replay_once(&rs, f, &opt);
		opt.trace = NULL;
	}
	rc = rc ? STATUS_FAILED : conclude_replays(&rs, f);
	strbuf_release(&rs.first);
	return rc;
}

/* Options may also stand after the finding, up to the arguments of gdb. Returns the number of
 * operands, with the finding as the first; -1 after error_(). */
static int parse_rest(struct replay_args *a, int argc, char **argv)
{
	char *finding = argv[0];
	int at = opt_parse(replay_opts, a, argc, argv, 0);

	if (at < 0)
		return -1;
	memmove(argv + 1, argv + at, (size_t)(argc - at + 1) * sizeof *argv);
	argv[0] = finding;
	return argc - at + 1;
}

static int replay_command(void *args, int argc, char **argv)
{
	struct replay_args *a = args;
	struct named_program named = {0};
	struct finding *f;
	int status;

	if (argc > 1 && !a->gdb && (argc = parse_rest(a, argc, argv)) < 0)
		return STATUS_USAGE;
	if (argc > 1 && !a->gdb) {
		error_("unexpected '%s' ('heddle replay -h' shows the usage)", argv[1]);
		return STATUS_USAGE;
	}
	f = finding_named(a->dir, argv[0]);
	if (!f)
		return STATUS_FAILED;
	if (!a->force && finding_is_stale(f)) {
		error_("'%s' was built again since %s was found, so it is not run ('heddle verify "
		       "%s' adapts the "
		       "schedule to the change; --force replays it as it is)",
			f->exe, f->name, argv[0]);
		finding_free(f);
		return STATUS_FAILED;
	}
	named_program_show(&named, f);
	named_program_release(&named);
	if (argc > 1 && !strcmp(argv[1], "--"))
		argv++;
	if (finding_rehearse(f))
		status = STATUS_FAILED;
	else if (a->gdb)
		status = gdb_replay(f, argv + 1) < 0 ? STATUS_FAILED : STATUS_NOTHING;
	else
		status = replay_finding(f, a);
	finding_free(f);
	return status;
}

const struct command cmd_replay = {
	.synopsis = "[options] FINDING [gdb arguments...]",
	.about = "Runs the program under the schedule of a finding: one thread at a time, with\n"
		 "context switches at the places that the finding names. Shows the program's\n"
		 "output, then the outcome. FINDING is a name such as H1, or a file with a\n"
		 "finding as JSON. Exit code 66: the failure was seen again; 0: it was not seen;\n"
		 "3: the replay diverged, or replays differ.",
	.opts = replay_opts,
	.args_size = sizeof(struct replay_args),
	.min = 1,
	.max = -1,
	.run = replay_command,
};
