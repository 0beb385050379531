/*
 * `heddle cover`: computes a set of schedules that covers all inputs of a program, stores it and reports it.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/load_program.h"
#include "cli/machine_inputs.h"
#include "cover/set.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cover_args {
	struct machine_inputs_args machine;
	const char *dir;
	uint64_t seconds, max_paths, max_instructions, solver_seconds;
	bool show, json, dot, trivial, twice, barriers, all_barriers, no_prefixes;
};

static const struct opt cover_opts[] = {
	MACHINE_INPUTS_SYM(struct cover_args),
	OPT_FLAG(0, "show", struct cover_args, show,
		"print the epoch markers, the epochs, and every schedule with its\n"
		"condition; without a program, those of the stored set, or one\n"
		"epoch (--show 2) or schedule (--show 2.1) of it"),
	OPT_FLAG(0, "json", struct cover_args, json, "print the result as one JSON object"),
	OPT_FLAG(0, "dot", struct cover_args, dot,
		"print the epochs and schedules as a graph for Graphviz"),
	OPT_STRING('C', "dir", struct cover_args, dir, "DIR",
		"the set is kept in DIR/.heddle/cover; here by default"),
	OPT_NUMBER(0, "seconds", struct cover_args, seconds, "S", 1, 1000000,
		"search for S seconds at most, 60 by default"),
	OPT_NUMBER(0, "max-paths", struct cover_args, max_paths, "N", 1, UINT64_MAX,
		"stop after N paths"),
	OPT_NUMBER(0, "max-instructions", struct cover_args, max_instructions, "N", 1, UINT32_MAX,
		"end a path after N instructions, 10 million by default"),
	OPT_NUMBER(0, "solver-seconds", struct cover_args, solver_seconds, "S", 1, 100000,
		"time limit for one query, 10 by default"),
	MACHINE_INPUTS_STUB(struct cover_args),
	OPT_FLAG(0, "mark-trivial", struct cover_args, trivial,
		"also place epoch markers in loops that only wait for a condition\n"
		"variable, or only create or join threads"),
	OPT_FLAG(0, "mark-covered", struct cover_args, twice,
		"also place epoch markers in loops of which every iteration\n"
		"executes another marker"),
	OPT_FLAG(0, "mark-barriers", struct cover_args, all_barriers,
		"every barrier is an epoch marker, not only where a loop needs it"),
	OPT_FLAG(0, "pass-barriers", struct cover_args, barriers, "barriers are no epoch markers"),
	OPT_FLAG(0, "no-prefixes", struct cover_args, no_prefixes,
		"runs that end early have schedules of their own"),
	OPT_END,
};

enum { DEFAULT_SECONDS = 60, DEFAULT_INSTRUCTIONS = 10000000 };

static volatile sig_atomic_t interrupted;

/* The first signal ends the search with its report; the second ends heddle. */
static void on_signal(int sig)
{
	interrupted = 1;
	signal(sig, SIG_DFL);
}

/* ---- the report ------------------------------------------------------------------------------ */

static void print_failures(const struct set *s)
{
	vec_each (&s->notes, i) {
		const struct set_note *n = &s->notes.at[i];

		if (!strcmp(n->kind, "not covered"))
			continue;
		printf("%s in a %s, on heddle's machine:\n%s%s",
			*n->inputs ? "some inputs end" : "some inputs may end", n->kind, n->text,
			n->inputs);
	}
}

static void print_missing(const struct set *s)
{
	vec_each (&s->notes, i) {
		const struct set_note *n = &s->notes.at[i];

		if (!strcmp(n->kind, "not covered"))
			printf("  not covered: %s, in epoch %u, which begins with %s\n", n->text,
				n->epoch + 1, s->epochs.at[n->epoch].places);
	}
}

static void print_report(const struct set *s)
{
	struct set_counts c;

	set_count(s, &c);
	print_failures(s);
	printf("heddle: %u schedule%s in %u epoch%s (%u to %u, %.1f on average), %u deadlock%s, "
	       "from %llu paths, %.2f s\n",
		c.schedules, c.schedules == 1 ? "" : "s", c.epochs, c.epochs == 1 ? "" : "s",
		c.least, c.most, c.average, c.deadlocks, c.deadlocks == 1 ? "" : "s",
		(unsigned long long)s->paths, (double)s->milliseconds / 1000);
	puts(s->complete ? "  every input is covered, if the program has no data races "
			   "(heddle explore --switch access finds them)"
			 : "  not every input is covered");
	print_missing(s);
}

static int status_of(const struct set *s)
{
	struct set_counts c;

	set_count(s, &c);
	return s->complete && !c.failures ? STATUS_NOTHING : STATUS_INCONCLUSIVE;
}

static void print_set(const struct cover_args *a, const struct set *s)
{
	struct strbuf b = {0};

	if (a->json)
		set_print_json(s, &b);
	else if (a->dot)
		set_print_dot(s, &b);
	else if (a->show)
		set_print(s, &b);
	if (b.n)
		fputs(b.s, stdout);
	strbuf_release(&b);
	if (!a->json && !a->dot)
		print_report(s);
}

/* ---- the stored set -------------------------------------------------------------------------- */

/* Reads "EPOCH" or "EPOCH.SCHEDULE", both from 1 on. */
static bool parse_name(const char *text, uint32_t *epoch, uint32_t *schedule)
{
	char *end;
	unsigned long e, k = 0;

	if (!isdigit((unsigned char)*text))
		return false;
	e = strtoul(text, &end, 10);
	if (*end == '.' && isdigit((unsigned char)end[1])) {
		k = strtoul(end + 1, &end, 10);
		if (!k)
			return false;
	}
	*epoch = (uint32_t)(e - 1);
	*schedule = (uint32_t)(k - 1);
	return !*end && e && e < UINT32_MAX && k < UINT32_MAX;
}

static int show_part(const struct set *s, const char *name, uint32_t epoch, uint32_t schedule)
{
	struct strbuf b = {0};

	if (epoch >= s->epochs.n ||
		(schedule != UINT32_MAX && schedule >= s->epochs.at[epoch].schedules.n)) {
		error_("the set has no '%s': it has %u epochs ('heddle cover --show' prints them)",
			name, s->epochs.n);
		return STATUS_FAILED;
	}
	set_print_epoch(s, epoch, schedule, &b);
	fputs(b.s, stdout);
	strbuf_release(&b);
	return STATUS_NOTHING;
}

static int show_stored(const struct cover_args *a, const char *name)
{
	uint32_t epoch = 0, schedule = UINT32_MAX;
	struct set *s;
	int status = STATUS_NOTHING;

	if (name && !parse_name(name, &epoch, &schedule))
		return STATUS_USAGE;
	s = set_read(a->dir ? a->dir : ".");
	if (!s)
		return STATUS_FAILED;
	if (name)
		status = show_part(s, name, epoch, schedule);
	else
		print_set(a, s);
	set_free(s);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int cover_program(
	const struct cover_args *a, const struct cover_options *opt, const struct ir_program *p)
{
	double start = clock_seconds();
	struct cover *c = cover_new(p, opt);
	struct set *s;
	bool complete;
	int status;

	if (!c)
		return STATUS_FAILED;
	complete = !cover_run(c);
	s = set_of(c, opt->search.executor.argv[0], complete, clock_seconds() - start);
	cover_free(c);
	print_set(a, s);
	status = set_write(s, a->dir ? a->dir : ".") ? STATUS_FAILED : status_of(s);
	set_free(s);
	return status;
}

static int run_cover(const struct cover_args *a, struct machine_inputs *in, int argc, char **argv)
{
	struct path_limits limits = {
		.max_steps = a->max_instructions ? a->max_instructions : DEFAULT_INSTRUCTIONS,
		.deadline = clock_seconds() + (double)(a->seconds ? a->seconds : DEFAULT_SECONDS),
		.interrupted = &interrupted};
	struct cover_options opt = {.search = {.executor = {.inputs = &in->inputs,
						       .argc = argc,
						       .argv = argv,
						       .envp = environ,
						       .stubs = in->stubs.at,
						       .nstubs = in->stubs.n,
						       .solver_seconds = (double)a->solver_seconds,
						       .limits = limits},
					    .max_paths = a->max_paths,
					    .no_prefixes = a->no_prefixes},
		.markers = {a->trivial, a->twice, a->barriers, a->all_barriers}};
	struct ir_program *p = load_program(argv[0], LOAD_MODELS);
	struct sigaction sa = {.sa_handler = on_signal};
	int status;

	if (!p)
		return STATUS_FAILED;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	status = cover_program(a, &opt, p);
	ir_program_free(p);
	return status;
}

static int cover_command(void *args, int argc, char **argv)
{
	struct cover_args *a = args;
	struct machine_inputs in;
	uint32_t epoch, schedule;
	int status = STATUS_USAGE;

	if (!argc || (a->show && argc == 1 && parse_name(argv[0], &epoch, &schedule))) {
		if (!a->show && !a->json && !a->dot) {
			error_("a program is missing ('heddle cover --show' prints the stored "
			       "set)");
			return STATUS_USAGE;
		}
		return show_stored(a, argc ? argv[0] : NULL);
	}
	if (!machine_inputs_parse(&a->machine, &in))
		status = run_cover(a, &in, argc, argv);
	machine_inputs_release(&a->machine, &in);
	return status;
}

const struct command cmd_cover = {
	.synopsis = "[options] [--] [PROGRAM [args...]]",
	.about =
		"Computes a small set of schedules such that every value of the symbolic inputs "
		"of\n"
		"a program built by heddle-cc can be run under one of them, with the condition\n"
		"on the inputs for each. A schedule orders synchronization operations: what it\n"
		"leaves open does not matter in a program without data races. Loops that\n"
		"synchronize divide a run into epochs, which have schedules of their own. The set\n"
		"is kept in .heddle/cover. The exit code is 0 if every input is covered and none\n"
		"fails, otherwise 3, with what is missing.",
	.opts = cover_opts,
	.args_size = sizeof(struct cover_args),
	.min = 0,
	.max = -1,
	.run = cover_command,
};
