/*
 * `heddle explore`: executes every path of a program, for symbolic inputs and all schedules. Prints
 * findings when they are found, and at the end the coverage and its limits.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/print.h"
#include "base/vec.h"
#include "cli/explore_report.h"
#include "cli/load_program.h"
#include "cli/machine_inputs.h"
#include "explore/assumption.h"
#include "explore/from.h"
#include "replay/replay.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct opt explore_opts[] = {
	MACHINE_INPUTS_SYM(struct explore_args),
	OPT_LIST(0, "assume", struct explore_args, assume, "CONDITION",
		"only inputs that meet the condition, a C expression over global\n"
		"variables and inputs: 'nthreads == 2', 'argv[1][0] < 52'; may be\n"
		"repeated"),
	OPT_CHOICE(0, "switch", struct explore_args, switches, "sync|access",
		"switch threads at synchronization operations, the default, or at\n"
		"every access to shared memory, which also finds data races"),
	OPT_CHOICE(0, "search", struct explore_args, search, "cover|dfs|bfs|random",
		"choose the next state: one before code that no path has reached,\n"
		"the default, the newest, the one with the shortest path, or any"),
	OPT_NUMBER(0, "seed", struct explore_args, seed, "N", 0, UINT64_MAX,
		"seed of the random choices of the search"),
	OPT_NUMBER(0, "seconds", struct explore_args, seconds, "S", 1, 1000000,
		"explore for S seconds at most, 60 by default"),
	OPT_NUMBER(0, "max-paths", struct explore_args, max_paths, "N", 1, UINT64_MAX,
		"stop after N paths"),
	OPT_NUMBER(0, "max-depth", struct explore_args, max_depth, "N", 1, UINT64_MAX,
		"end a path after N forks"),
	OPT_NUMBER(0, "max-branches", struct explore_args, max_branches, "N", 1, UINT64_MAX,
		"end a path after N conditional branches of the program"),
	OPT_NUMBER(0, "max-instructions", struct explore_args, max_instructions, "N", 1, UINT64_MAX,
		"end a path after about N instructions, 100 million by default"),
	OPT_SIZE(0, "max-memory", struct explore_args, max_memory, 1 << 20, UINT64_MAX,
		"memory for waiting states, 2G by default; states beyond that are\n"
		"dropped and executed again from the start of the program"),
	OPT_NUMBER(0, "preemptions", struct explore_args, preemptions, "N", 1, UINT32_MAX - 1,
		"at most N preemptions on each path: context switches away from a\n"
		"thread that could continue"),
	OPT_FLAG(0, "all-orders", struct explore_args, all_orders,
		"also explore orders that differ only in independent operations"),
	OPT_FLAG(0, "no-merge", struct explore_args, no_merge,
		"also follow orders to states that another order has reached"),
	OPT_FLAG(0, "spurious", struct explore_args, spurious,
		"waits on condition variables without a time limit may also end\n"
		"without a signal, as POSIX allows"),
	OPT_FLAG(0, "no-summaries", struct explore_args, no_summaries,
		"execute string and number functions byte by byte, with a fork for\n"
		"each byte that decides a branch"),
	OPT_NUMBER(0, "solver-seconds", struct explore_args, solver_seconds, "S", 1, 100000,
		"time limit for one query, 10 by default"),
	MACHINE_INPUTS_STUB(struct explore_args),
	OPT_STRING('o', "out", struct explore_args, out, "DIR",
		"write test cases and the states that are left to DIR,\n"
		".heddle/explore by default"),
	OPT_STRING(0, "dir", struct explore_args, dir, "DIR",
		"keep findings in DIR/.heddle; in this directory by default"),
	OPT_CHOICE(0, "tests", struct explore_args, tests, "all|failing|none",
		"write a test case for these paths; all by default"),
	OPT_FLAG(0, "resume", struct explore_args, resume,
		"continue an exploration with the same -o DIR that a budget or\n"
		"Ctrl-C ended"),
	OPT_FLAG(0, "no-replay", struct explore_args, no_replay,
		"do not run the test cases of findings on the real program"),
	OPT_STRING(0, "lcov", struct explore_args, lcov, "FILE",
		"write line and branch coverage for genhtml"),
	OPT_STRING(0, "dump-smt", struct explore_args, dump_smt, "DIR",
		"write each query that reaches a solver as SMT-LIB"),
	OPT_FLAG(0, "json", struct explore_args, json,
		"print one JSON object for each path and one for the result"),
	REPORT_FILE_OPTS(struct explore_args, files),
	SET_ASIDE_OPTS(struct explore_args, aside),
	OPT_STRING(0, "from", struct explore_args, from, "PLACES",
		"start with threads at these places: FUNCTION[:LINE]@T1,..., or\n"
		"with a call stack: main>run>work:42@T0"),
	OPT_FLAG(0, "no-reach", struct explore_args, no_reach,
		"with --from: assume nothing about the values of variables"),
	OPT_FLAG(0, "no-invariants", struct explore_args, no_invariants,
		"with --from: assume nothing about the state of synchronization"),
	OPT_FLAG(0, "check-initial", struct explore_args, check_initial,
		"with --from: pointers of the initial state may be null"),
	OPT_FLAG(0, "stats", struct explore_args, stats, "print statistics of the exploration"),
	OPT_END,
};
_Static_assert(EXPLORE_COVER == 0 && EXPLORE_DFS == 1 && EXPLORE_BFS == 2 && EXPLORE_RANDOM == 3,
	"in the order of --search");

enum { DEFAULT_SECONDS = 60, DEFAULT_INSTRUCTIONS = 100000000 };

static volatile sig_atomic_t interrupted;

/* The first signal ends the exploration and saves its frontier; the second ends heddle. */
static void on_signal(int sig)
{
	interrupted = 1;
	signal(sig, SIG_DFL);
}

static void listen_to_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

/* ---- the directory --------------------------------------------------------------------------- */

static bool is_test(const char *name)
{
	size_t n = strlen(name);

	return n > 12 && strspn(name, "0123456789") >= 6 &&
	       name[strspn(name, "0123456789")] == '-' && !strcmp(name + n - 5, ".json");
}

/* Removes the test cases and the frontier of an earlier exploration. */
static int empty_directory(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return error_("cannot read '%s': %s", dir, strerror(errno));
	while ((e = readdir(d)))
		if (is_test(e->d_name) || !strcmp(e->d_name, "frontier.json"))
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	return 0;
}

static int make_directory(const char *dir, bool keep)
{
	char *path = xstrdup(dir);

	for (char *s = path + 1; *s; s++)
		if (*s == '/') {
			*s = 0;
			mkdir(path, 0777);
			*s = '/';
		}
	free(path);
	if (mkdir(dir, 0777) && errno != EEXIST)
		return error_("cannot create the directory '%s': %s", dir, strerror(errno));
	return keep ? 0 : empty_directory(dir);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int status_of(const struct explore_report *e, struct explore *ex)
{
	switch (verdict_result(&e->verdict)) {
	case VERDICT_FAILURE: return STATUS_FOUND;
	case VERDICT_CLEAR: return explore_stats(ex)->unwritten ? STATUS_FAILED : STATUS_NOTHING;
	case VERDICT_INCOMPLETE: break;
	}
	return STATUS_INCONCLUSIVE;
}

/* Prints the facts about the initial state, one on each line. */
static void tell_context(const struct from *f)
{
	struct strbuf b = {0};

	strbuf_adds(&b, "facts about the initial state:\n");
	from_print(f, &b);
	print_text(stdout, b.s, b.n);
	strbuf_release(&b);
}

static int explore_program(struct explore_report *e, struct ir_program *p,
	const struct explore_options *opt, int argc, char **argv)
{
	struct explore *ex;
	int status = STATUS_FAILED;

	if (set_aside_open(&e->aside, &e->a->aside, e->a->dir)) {
		explore_report_release(e);
		return STATUS_FAILED;
	}
	ex = explore_new(p, argc, argv, environ, opt);
	if (!ex) {
		explore_report_release(e);
		return STATUS_FAILED;
	}
	listen_to_signals();
	if (!explore_run(ex)) {
		status = explore_report_findings(e, ex, argv[0]) ? STATUS_FAILED : STATUS_NOTHING;
		explore_verdict(e, ex);
		explore_report_summary(e, ex);
		if (opt->from && e->a->stats && !e->a->json)
			tell_context(opt->from);
		if (report_files_write(&e->a->files, e->findings.at, e->findings.n, &e->verdict,
			    explore_stats(ex)->seconds))
			status = STATUS_FAILED;
		if (status == STATUS_NOTHING)
			status = status_of(e, ex);
	}
	explore_report_release(e);
	if (e->a->lcov && coverage_write(explore_coverage(ex), e->a->lcov))
		status = STATUS_FAILED;
	explore_free(ex);
	return status;
}

/* --from with its options as text, which identifies the exploration. */
static char *words_of(const struct explore_args *a)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "%s%s%s%s", a->from, a->no_reach ? " no-reach" : "",
		a->no_invariants ? " no-invariants" : "", a->check_initial ? " check-initial" : "");
	return strbuf_detach(&b);
}

static int run_explore(struct explore_args *a, struct inputs *inputs, const struct stubs *stubs,
	int argc, char **argv)
{
	struct explore_report e = {.a = a};
	struct assumptions assume = {0};
	struct explore_options opt = {.search = (enum explore_search)a->search,
		.switches = (enum exec_switch)a->switches,
		.seed = a->seed,
		.seconds = a->seconds ? (double)a->seconds : DEFAULT_SECONDS,
		.max_paths = a->max_paths,
		.max_depth = a->max_depth,
		.max_branches = a->max_branches,
		.max_instructions =
			a->max_instructions ? a->max_instructions : DEFAULT_INSTRUCTIONS,
		.max_memory = a->max_memory ? a->max_memory : 2ull << 30,
		.preemptions = a->preemptions ? (uint32_t)a->preemptions : UINT32_MAX,
		.all_orders = a->all_orders,
		.no_merge = a->no_merge,
		.spurious = a->spurious,
		.no_summaries = a->no_summaries,
		.solver_seconds = (double)a->solver_seconds,
		.dump_smt = a->dump_smt,
		.stubs = stubs->at,
		.nstubs = stubs->n,
		.inputs = inputs,
		.program = argv[0],
		.out = a->out ? a->out : ".heddle/explore",
		.tests = (enum explore_tests)a->tests,
		.resume = a->resume,
		.interrupted = &interrupted,
		.progress = explore_report_progress,
		.ended = explore_report_path,
		.ctx = &e};
	char *places = NULL;
	struct ir_program *p;
	bool bad = false;
	int status = STATUS_FAILED;

	p = load_program(argv[0], LOAD_MODELS);
	if (!p)
		return STATUS_FAILED;
	vec_each (&a->assume, i)
		bad |= assumptions_add(&assume, p, inputs, a->assume.at[i]) != 0;
	opt.assume = assume.at.n ? &assume : NULL;
	if (access(argv[0], X_OK) == 0) /* else bitcode or text, which has no native program */
		replay_bitcode(argv[0], &opt.identity);
	e.out = opt.out;
	if (a->from) {
		struct from_options fo = {.no_reach = a->no_reach,
			.no_invariants = a->no_invariants,
			.check_initial = a->check_initial};

		opt.from = from_new(p, a->from, &fo);
		opt.places = places = words_of(a);
	}
	if (bad || (a->from && !opt.from))
		status = STATUS_USAGE;
	else if (!make_directory(opt.out, a->resume)) /* last, because it removes old files */
		status = explore_program(&e, p, &opt, argc, argv);
	if (opt.from)
		from_free(opt.from);
	assumptions_release(&assume);
	free(places);
	ir_program_free(p);
	return status;
}

static int explore_command(void *args, int argc, char **argv)
{
	struct explore_args *a = args;
	struct machine_inputs in;
	int status = STATUS_USAGE;

	if (!machine_inputs_parse(&a->machine, &in))
		status = run_explore(a, &in.inputs, &in.stubs, argc, argv);
	machine_inputs_release(&a->machine, &in);
	vec_release(&a->assume);
	return status;
}

const struct command cmd_explore = {
	.synopsis = "[options] [--] PROGRAM [args...]",
	.about = "Executes a program built by heddle-cc symbolically: for all values of its\n"
		 "symbolic inputs and all orders of its threads. Reports failed assertions,\n"
		 "memory errors, divisions by zero, deadlocks and misuse of synchronization with\n"
		 "an input and a schedule, and replays them on the real program (exit code 66).\n"
		 "If every path was executed to its end and none fails, the exit code is 0;\n"
		 "otherwise it is 3, and the report lists what was not analysed and why. Writes a\n"
		 "test case for 'heddle test' for each path.",
	.opts = explore_opts,
	.args_size = sizeof(struct explore_args),
	.min = 1,
	.max = -1,
	.run = explore_command,
};
