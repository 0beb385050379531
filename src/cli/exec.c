/*
 * `heddle exec`: executes the program on the machine. The program's output goes to its own streams;
 * heddle's messages go to stderr. The exit status of the program is reported there, not returned.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/print.h"
#include "base/vec.h"
#include "cli/load_program.h"
#include "cli/stubs.h"
#include "machine/exec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct exec_args {
	uint64_t seed, seeds;
	int switches; /* enum exec_switch */
	struct opt_list stubs;
	uint64_t max_instructions, max_memory;
	bool trust, careful, stats;
};

static const struct opt exec_opts[] = {
	OPT_NUMBER('s', "seed", struct exec_args, seed, "N", 0, UINT64_MAX,
		"seed of the schedule; the same seed gives the same run. 0, the\n"
		"default: switch only where a thread blocks or its time slice ends"),
	OPT_NUMBER('n', "seeds", struct exec_args, seeds, "N", 1, UINT32_MAX,
		"run under the seeds 1 to N, one after the other, until a run\n"
		"fails"),
	OPT_CHOICE(0, "switch", struct exec_args, switches, "sync|access",
		"switch threads at synchronization operations, the default, or\n"
		"at every access to memory"),
	OPT_LIST(0, "stub", struct exec_args, stubs, "NAME=VALUE",
		"calls of NAME, a function without a model, return VALUE; may\n"
		"be repeated"),
	OPT_NUMBER(0, "max-instructions", struct exec_args, max_instructions, "N", 1, UINT64_MAX,
		"stop after about N instructions"),
	OPT_SIZE(0, "max-memory", struct exec_args, max_memory, 1, UINT64_MAX,
		"let the heap of the program grow to SIZE at most"),
	OPT_FLAG(0, "trust-uninitialized", struct exec_args, trust,
		"continue when uninitialized bits decide a branch or an address"),
	OPT_FLAG(0, "careful", struct exec_args, careful,
		"interpret every instruction in careful mode, for comparison"),
	OPT_FLAG(0, "stats", struct exec_args, stats, "print statistics of the run"),
	OPT_END,
};
_Static_assert(EXEC_SWITCH_SYNC == 0 && EXEC_SWITCH_ACCESS == 1, "in the order of --switch");

static void say_stats(const struct exec_result *res, const struct timespec *start)
{
	struct timespec end;
	double seconds;

	clock_gettime(CLOCK_MONOTONIC, &end);
	seconds = (double)(end.tv_sec - start->tv_sec) +
		  1e-9 * (double)(end.tv_nsec - start->tv_nsec);
	note_("%" PRIu64 " instructions, %" PRIu64 " threads, %" PRIu64
	      " context switches, %.3f s, "
	      "%.1f million instructions/s",
		res->instructions, res->threads, res->switches, seconds,
		(double)res->instructions / 1e6 / MAX(seconds, 1e-9));
}

struct run {
	struct ir_program *p;
	struct exec_options opt;
	bool stats;
	int argc;
	char **argv;
};

static int run_once(const struct run *r)
{
	const struct exec_options *opt = &r->opt;
	struct exec_result res = {0};
	struct timespec start;
	int status = STATUS_NOTHING;

	clock_gettime(CLOCK_MONOTONIC, &start);
	if (exec_run(r->p, r->argc, r->argv, opt, &res))
		return STATUS_FAILED;
	if (res.report.n)
		print_clean(stderr, "%s%s", res.report.s,
			res.report.s[res.report.n - 1] == '\n' ? "" : "\n");
	switch (res.fate) {
	case EXEC_EXITED:
		if (res.status & 0xff)
			note_("the program ended with status %d", res.status & 0xff);
		break;
	case EXEC_FAULT:
	case EXEC_DEADLOCK: status = STATUS_FOUND; break;
	case EXEC_STOPPED: status = STATUS_INCONCLUSIVE; break;
	}
	if (status != STATUS_NOTHING && opt->seed)
		note_("found under seed %" PRIu64 "; to repeat this run: --seed=%" PRIu64 "%s",
			opt->seed, opt->seed,
			opt->switches == EXEC_SWITCH_ACCESS ? " --switch=access" : "");
	if (r->stats)
		say_stats(&res, &start);
	exec_result_release(&res);
	return status;
}

/* Executes each run in a separate process, so that the state of the machine and of open files does
 * not affect the next run. The program is decoded once, before the fork. */
static int run_forked(const struct run *r)
{
	pid_t pid;
	int status;

	fflush(NULL);
	lseek(0, 0, SEEK_SET); /* each run reads its input from the start, if it is a file */
	pid = fork();
	if (pid < 0) {
		error_("cannot start a process: %s", strerror(errno));
		return STATUS_FAILED;
	}
	if (!pid) {
		status = run_once(r);
		fflush(NULL);
		_exit(status);
	}
	while (waitpid(pid, &status, 0) < 0)
		BUG_ON(errno != EINTR);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	error_("heddle's machine crashed with signal %d under seed %" PRIu64, WTERMSIG(status),
		r->opt.seed);
	return STATUS_FAILED;
}

static int run_seeds(struct run *r, uint64_t seeds)
{
	for (r->opt.seed = 1; r->opt.seed <= seeds; r->opt.seed++) {
		int status = run_forked(r);

		if (status != STATUS_NOTHING)
			return status;
	}
	return STATUS_NOTHING;
}

static int exec_command(void *args, int argc, char **argv)
{
	struct exec_args *a = args;
	struct stubs stubs = {0};
	struct run r = {.stats = a->stats, .argc = argc, .argv = argv};
	int status = STATUS_FAILED;

	if (a->seed && a->seeds) {
		error_("--seed and --seeds exclude each other");
		status = STATUS_USAGE;
	} else if (stubs_parse(&a->stubs, &stubs)) {
		status = STATUS_USAGE;
	} else if ((r.p = load_program(argv[0], LOAD_MODELS))) {
		r.opt = (struct exec_options){
			.seed = a->seed,
			.switches = (enum exec_switch)a->switches,
			.stubs = stubs.at,
			.nstubs = stubs.n,
			.max_instructions = a->max_instructions,
			.max_memory = a->max_memory,
			.envp = environ,
			.trust = a->trust,
			.slow = a->careful,
		};
		status = a->seeds ? run_seeds(&r, a->seeds) : run_once(&r);
		ir_program_free(r.p);
	}
	stubs_release(&stubs);
	vec_release(&a->stubs);
	return status;
}

const struct command cmd_exec = {
	.synopsis = "[options] [--] PROGRAM [args...]",
	.about = "Runs a program built by heddle-cc on heddle's own machine, all threads, under a\n"
		 "schedule chosen by the seed. Memory errors, failed assertions, misuse of\n"
		 "synchronization and deadlocks are reported with their stacks, exit code 66. A "
		 "call\n"
		 "or an instruction that is not modelled ends the run and is named, exit code 3.\n"
		 "PROGRAM may also be a file of LLVM bitcode or of textual IR.",
	.opts = exec_opts,
	.args_size = sizeof(struct exec_args),
	.min = 1,
	.max = -1,
	.run = exec_command,
};
