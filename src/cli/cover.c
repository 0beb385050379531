/*
 * `heddle cover`: computes a set of schedules that covers all inputs of a program, and prints it.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/load_program.h"
#include "cli/stubs.h"
#include "cover/cover.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct cover_args {
	struct opt_list sym, stubs;
	uint64_t seconds, max_paths, max_instructions, solver_seconds;
	bool show, trivial, twice, barriers, all_barriers, no_prefixes;
};

static const struct opt cover_opts[] = {
	OPT_LIST(0, "sym", struct cover_args, sym, "INPUT",
		"make an input symbolic: argv[K]:N, stdin:N, file:PATH:N,\n"
		"env:NAME:N (up to N bytes each), or syscall; may be repeated.\n"
		"The bytes of heddle_input() are always symbolic"),
	OPT_FLAG(0, "show", struct cover_args, show,
		"print the epoch markers, and every schedule with the condition on\n"
		"the inputs for which it is followed"),
	OPT_NUMBER(0, "seconds", struct cover_args, seconds, "S", 1, 1000000,
		"search for S seconds at most, 60 by default"),
	OPT_NUMBER(0, "max-paths", struct cover_args, max_paths, "N", 1, UINT64_MAX,
		"stop after N paths"),
	OPT_NUMBER(0, "max-instructions", struct cover_args, max_instructions, "N", 1, UINT32_MAX,
		"end a path after N instructions, 10 million by default"),
	OPT_NUMBER(0, "solver-seconds", struct cover_args, solver_seconds, "S", 1, 100000,
		"time limit for one query, 10 by default"),
	OPT_LIST(0, "stub", struct cover_args, stubs, "NAME=VALUE",
		"calls of NAME, a function without a model, return VALUE; may be\n"
		"repeated"),
	OPT_FLAG(0, "mark-trivial", struct cover_args, trivial,
		"also place epoch markers in loops that only wait for a condition\n"
		"variable, or only create or join threads"),
	OPT_FLAG(0, "mark-covered", struct cover_args, twice,
		"also place epoch markers in loops of which every iteration\n"
		"executes another marker"),
	OPT_FLAG(0, "mark-barriers", struct cover_args, all_barriers,
		"every barrier is an epoch marker, not only those that a loop needs"),
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

static void print_place(const struct ir_program *p, uint32_t func, uint32_t insn)
{
	struct diag_pos pos = ir_diag_pos(p, p->funcs.at[func].insns.at[insn].pos);

	printf("'%s'", ir_func_name(p, func));
	if (pos.file)
		printf(" at %s:%u", pos.file, pos.line);
}

static void show_markers(const struct ir_program *p, const struct cover *c)
{
	uint32_t n;
	const struct marker *m = markers_list(cover_markers(c), &n);

	for (uint32_t i = 0; i < n; i++) {
		printf("marker: %s in ", marker_kind_name(m[i].kind));
		print_place(p, m[i].func, m[i].insn);
		putchar('\n');
	}
}

/* The condition of one schedule: a disjunction of conjunctions. */
static void print_condition(
	const struct epoch_schedule *s, const struct terms *ts, struct strbuf *out)
{
	bool first = true;

	vec_each (&s->parts, q)
		vec_each (&s->parts.at[q].how->when, k) {
			const struct vec_u32 *all = &s->parts.at[q].how->when.at[k];

			strbuf_adds(out, first ? "  followed if" : "  or");
			first = false;
			if (!all->n)
				strbuf_adds(out, " true");
			vec_each (all, i) {
				strbuf_adds(out, i ? " and " : " ");
				term_print(out, ts, (term_t){all->at[i]});
			}
			strbuf_adds(out, "\n");
		}
}

static void print_places(const struct ir_program *p, const struct epoch *e)
{
	if (!e->places.n)
		printf(" the program's entry");
	vec_each (&e->places, k) {
		printf("%s a thread in ", k ? "," : "");
		print_place(p, e->places.at[k].func, e->places.at[k].insn);
		if (e->places.at[k].waiting)
			printf(" (blocked)");
	}
	putchar('\n');
}

static void show_epoch(const struct ir_program *p, struct search *s, uint32_t i)
{
	const struct epoch *e = search_epoch(s, i);
	struct strbuf b = {0};

	printf("epoch %u:", i + 1);
	print_places(p, e);
	vec_each (&e->schedules, k) {
		const struct epoch_schedule *c = &e->schedules.at[k];

		strbuf_addf(&b, "schedule %u.%u%s:\n", i + 1, k + 1,
			c->schedule->end == PATH_DEADLOCK ? ", which deadlocks" : "");
		schedule_print(c->schedule, p, &b);
		print_condition(c, search_executor(s)->ts, &b);
		if (c->next >= 0)
			strbuf_addf(&b, "  then epoch %d\n", c->next + 1);
	}
	if (b.n)
		fputs(b.s, stdout);
	strbuf_release(&b);
}

static void print_input(const struct testcase *tc)
{
	struct strbuf b = {0};

	testcase_print_inputs(tc, &b);
	if (b.n)
		printf("%s", b.s);
	strbuf_release(&b);
}

static uint32_t print_failures(const struct search *s)
{
	uint32_t n, count = 0;

	for (uint32_t i = 0; i < search_count(s); i++)
		vec_each (&search_epoch(s, i)->starts, q) {
			const struct start_failure *f =
				start_failures(search_epoch(s, i)->starts.at[q].start, &n);

			for (uint32_t k = 0; k < n; k++, count++) {
				printf("%s in a %s, on heddle's machine:\n%s",
					f[k].tc ? "some inputs end" : "some inputs may end",
					f[k].end == PATH_DEADLOCK ? "deadlock" : "failure",
					f[k].report);
				if (f[k].tc)
					print_input(f[k].tc);
			}
		}
	return count;
}

struct reasons {
	const struct ir_program *p;
	const struct search *s;
};

static void print_reason(void *ctx, uint32_t epoch, const char *why)
{
	const struct reasons *r = ctx;

	printf("  not covered: %s, in the epoch that begins with", why);
	print_places(r->p, search_epoch(r->s, epoch));
}

/* The verdict; its status. */
static int conclude(const struct ir_program *p, struct cover *c, bool complete, double seconds)
{
	struct search *s = cover_search(c);
	struct reasons r = {p, s};
	uint32_t n = search_count(s), total = 0, least = UINT32_MAX, most = 0, deadlocks = 0;
	uint32_t failures = print_failures(s);

	for (uint32_t i = 0; i < n; i++) {
		const struct epoch *e = search_epoch(s, i);

		total += e->schedules.n;
		least = MIN(least, e->schedules.n);
		most = MAX(most, e->schedules.n);
		vec_each (&e->schedules, k)
			deadlocks += e->schedules.at[k].schedule->end == PATH_DEADLOCK;
	}
	printf("heddle: %u schedule%s in %u epoch%s (%u to %u, %.1f on average), %u deadlock%s, "
	       "from %llu "
	       "paths, %.2f s\n",
		total, total == 1 ? "" : "s", n, n == 1 ? "" : "s", least, most, (double)total / n,
		deadlocks, deadlocks == 1 ? "" : "s", (unsigned long long)search_paths(s), seconds);
	puts(complete ? "  every input is covered, if the program has no data races "
			"(heddle explore --switch access finds them)"
		      : "  not every input is covered");
	search_each_reason(s, print_reason, &r);
	return complete && !failures ? STATUS_NOTHING : STATUS_INCONCLUSIVE;
}

static int cover_program(
	const struct cover_args *a, const struct cover_options *opt, const struct ir_program *p)
{
	double start = clock_seconds();
	struct cover *c = cover_new(p, opt);
	bool complete;
	int status;

	if (!c)
		return STATUS_FAILED;
	complete = !cover_run(c);
	if (a->show) {
		show_markers(p, c);
		for (uint32_t i = 0; i < search_count(cover_search(c)); i++)
			show_epoch(p, cover_search(c), i);
	}
	status = conclude(p, c, complete, clock_seconds() - start);
	cover_free(c);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run_cover(const struct cover_args *a, struct inputs *inputs, const struct stubs *stubs,
	int argc, char **argv)
{
	struct path_limits limits = {
		.max_steps = a->max_instructions ? a->max_instructions : DEFAULT_INSTRUCTIONS,
		.deadline = clock_seconds() + (double)(a->seconds ? a->seconds : DEFAULT_SECONDS),
		.interrupted = &interrupted};
	struct cover_options opt = {.search = {.executor = {.inputs = inputs,
						       .argc = argc,
						       .argv = argv,
						       .envp = environ,
						       .stubs = stubs->at,
						       .nstubs = stubs->n,
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
	struct inputs inputs;
	struct stubs stubs = {0};
	int status = STATUS_USAGE;
	bool ok = true;

	inputs_init(&inputs);
	vec_each (&a->sym, i)
		ok = ok && !inputs_add(&inputs, a->sym.at[i]);
	if (ok && !stubs_parse(&a->stubs, &stubs))
		status = run_cover(a, &inputs, &stubs, argc, argv);
	stubs_release(&stubs);
	inputs_release(&inputs);
	vec_release(&a->sym);
	vec_release(&a->stubs);
	return status;
}

const struct command cmd_cover = {
	.synopsis = "[options] [--] PROGRAM [args...]",
	.about = "Computes a small set of schedules such that every value of the symbolic inputs "
		 "of\n"
		 "a program built by heddle-cc can be run under one of them, with the condition\n"
		 "on the inputs for each. A schedule orders synchronization operations: what it\n"
		 "leaves open does not matter in a program without data races. The exit code is 0\n"
		 "if every input is covered and none fails, otherwise 3, with what is missing.\n"
		 "Loops that synchronize divide a run into epochs; only the first is searched.",
	.opts = cover_opts,
	.args_size = sizeof(struct cover_args),
	.min = 1,
	.max = -1,
	.run = cover_command,
};
