/*
 * `heddle record`: runs the record image of a program in the same environment as without heddle
 * (standard streams, directory, environment variables, process group), collects its log, and
 * reports its outcome.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/print.h"
#include "base/vec.h"
#include "cli/find_program.h"
#include "cli/recording.h"
#include "cli/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record_args {
	const char *output;
	uint64_t limit, window;
	struct opt_list exclude;
};

static const struct opt record_opts[] = {
	OPT_STRING('o', "output", struct record_args, output, "DIR",
		"where to write the trace, 'heddle.trace' by default; an old trace\n"
		"there is replaced"),
	OPT_SIZE(0, "limit", struct record_args, limit, 1 << 20, UINT64_MAX / 2,
		"keep at most SIZE of the log: its newest part"),
	OPT_NUMBER(0, "window", struct record_args, window, "N", 1, UINT32_MAX,
		"keep the newest N chunks (64 KB before compression) of each thread"),
	OPT_LIST(0, "exclude", struct record_args, exclude, "PATTERN",
		"functions whose names match are not traced, and their results\n"
		"are assumed as recorded; a pattern with a slash or a dot matches\n"
		"source files ('*/zlib/*', 'hash.c'); may be repeated"),
	OPT_END,
};

/* ---- report ------------------------------------------------------------------------------ */

static void add_size(struct strbuf *b, uint64_t n)
{
	static const char *const units[] = {"KB", "MB", "GB", "TB"};
	double x = (double)n / 1000;
	size_t i = 0;

	if (n < 1000) {
		strbuf_addf(b, "%" PRIu64 " bytes", n);
		return;
	}
	for (; x >= 999.95 && i + 1 < ARRAY_SIZE(units); i++)
		x /= 1000;
	strbuf_addf(b, "%.1f %s", x, units[i]);
}

static void print_report(const struct recording *r, const char *dir)
{
	const struct store_meta *m = &r->meta;
	struct strbuf b = {0};

	strbuf_addf(&b, "heddle: recorded %u thread%s, ", m->nthreads, m->nthreads == 1 ? "" : "s");
	add_size(&b, r->bytes);
	strbuf_addf(&b, " in '%s' (", dir);
	target_fate(&b, m->status);
	strbuf_addf(&b, "); to show it: heddle trace %s\n", dir);
	print_text(stderr, b.s, b.n);
	if (m->forks)
		note_("%u child process%s of the program %s not recorded", m->forks,
			m->forks == 1 ? "" : "es", m->forks == 1 ? "was" : "were");
	if (m->lost)
		note_("%u threads of the program were not recorded: a trace holds at most %u",
			m->lost, LOG_MAX_THREADS);
	strbuf_release(&b);
}

static int run_target(struct recording *r, char **argv, const char *dir)
{
	const struct target_options opt = {0};
	enum target_end end;
	int status, rc;

	if (target_run(r, argv, &opt, &status, &end))
		return STATUS_FAILED;
	rc = recording_finish(r, &status);
	print_report(r, dir);
	recording_release(r);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

static int record_command(void *args, int argc, char **argv)
{
	struct record_args *a = args;
	const char *dir = a->output ? a->output : "heddle.trace";
	struct recording_options opt = {a->limit, a->window, a->exclude};
	struct recording r;
	int status = STATUS_FAILED;
	char *exe;

	if (a->limit && a->window) {
		error_("--limit and --window exclude each other");
		status = STATUS_USAGE;
	} else {
		exe = find_program(argv[0]);
		if (exe && !recording_open(&r, exe, argc, argv, dir, &opt))
			status = run_target(&r, argv, dir);
		free(exe);
	}
	vec_release(&a->exclude);
	return status;
}

const struct command cmd_record = {
	.synopsis = "[options] [--] PROGRAM [args...]",
	.about =
		"Runs a program built by heddle-cc and records what cannot be recomputed: the\n"
		"values that its threads read from each other and from outside, and their\n"
		"synchronization. 'heddle trace' computes all other events from that. The program\n"
		"behaves as it does without heddle; its exit status is reported, not returned.",
	.opts = record_opts,
	.args_size = sizeof(struct record_args),
	.min = 1,
	.max = -1,
	.run = record_command,
};
