#include "explore/explore.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/process_tree.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "machine/code.h"
#include "symbolic/summary.h"
#include "explore/assumption.h"
#include "explore/explore_internal.h"
#include "explore/from.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void explore_reason_add(struct explore *ex, const char *why)
{
	vec_each (&ex->reasons, i)
		if (!strcmp(ex->reasons.at[i].why, why)) {
			ex->reasons.at[i].count++;
			return;
		}
	vec_push(&ex->reasons, (struct explore_reason){xstrdup(why), 1});
}

/* ---- budgets --------------------------------------------------------------------------------- */

static void note_states(struct explore *ex)
{
	ex->stats.states = frontier_count(ex->frontier);
	ex->stats.bytes = frontier_bytes(ex->frontier);
	ex->stats.most_states = MAX(ex->stats.most_states, ex->stats.states);
	ex->stats.most_bytes = MAX(ex->stats.most_bytes, ex->stats.bytes);
	if (ex->opt.max_memory && ex->stats.bytes > ex->opt.max_memory)
		frontier_shrink(ex->frontier, ex->opt.max_memory / 4 * 3);
}

/*
 * Whether the process uses more memory than it may, though the waiting states were reduced to their
 * trails: terms, circuits and caches of the solver have no limit of their own. The program's IR needs
 * memory, too, so a small limit is one of states only.
 */
static bool memory_spent(struct explore *ex, double now)
{
	const uint64_t least = 1ull << 30;
	uint64_t limit = MAX(ex->opt.max_memory, least);

	if (!ex->opt.max_memory || now - ex->weighed < 0.1)
		return false;
	ex->weighed = now;
	if (process_memory(getpid()) <= limit)
		return false;
	frontier_shrink(ex->frontier, frontier_bytes(ex->frontier) / 2);
	malloc_trim(0);
	return process_memory(getpid()) > limit;
}

bool budget_spent(struct explore *ex)
{
	const struct explore_options *o = &ex->opt;
	double now = clock_seconds();

	if (o->interrupted && *o->interrupted)
		ex->stopped = "interrupted";
	else if (o->seconds > 0 && now - ex->t0 >= o->seconds)
		ex->stopped = "the time budget was spent (--seconds)";
	else if (memory_spent(ex, now))
		ex->stopped = "the memory budget was spent (--max-memory)";
	else if (o->max_paths && ex->stats.paths - ex->paths_before >= o->max_paths)
		ex->stopped = "the limit of paths was reached (--max-paths)";
	if (o->progress && now - ex->told > 0.2) {
		ex->told = now;
		o->progress(o->ctx, ex);
	}
	return ex->stopped != NULL;
}

bool budget_looks(struct explore *ex)
{
	enum { EVERY = 32 };

	if (++ex->looked % EVERY)
		return false;
	note_states(ex);
	return budget_spent(ex);
}

/* ---- the exploration ------------------------------------------------------------------------- */

static void add_start(struct explore *ex)
{
	struct state *s = state_new();

	s->snap = snapshot_keep(ex->start);
	frontier_add(ex->frontier, s);
}

/* Drops all states and what the paths so far have shown, except for the findings, which are true.
 */
static void begin_again(struct explore *ex)
{
	ex->begin_again = false;
	frontier_free(ex->frontier);
	ex->frontier = frontier_new(ex->opt.search, ex->opt.seed | 1, ex->cov);
	vec_each (&ex->reasons, i)
		free(ex->reasons.at[i].why);
	vec_clear(&ex->reasons);
	memset(ex->stats.ends, 0, sizeof ex->stats.ends);
	ex->stats.paths = ex->stats.incomplete = ex->stats.undecided = ex->paths_before = 0;
	ex->stats.assumed = ex->stats.met = 0;
	ex->bounded = false;
	merge_begin_again(ex);
	add_start(ex);
}

int explore_run(struct explore *ex)
{
	struct state *s;

	if (ex->opt.resume) {
		if (frontier_read(ex) < 0)
			return -1;
		ex->paths_before = ex->stats.paths;
	} else if (!ex->excluded) {
		add_start(ex);
	}
	do {
		while (!budget_spent(ex) && (s = frontier_take(ex->frontier))) {
			path_take_up(ex, s);
			if (ex->begin_again)
				begin_again(ex);
			note_states(ex);
		}
		ex->begin_again = merge_must_stop(ex);
		if (ex->begin_again)
			begin_again(ex);
	} while (!ex->stopped && frontier_count(ex->frontier));
	ex->cut |= frontier_count(ex->frontier) > 0;
	explore_stats(ex);
	ex->ended = true;
	return frontier_write(ex);
}

static struct machine *new_machine(
	struct explore *ex, int argc, char *const *argv, char *const *envp)
{
	struct machine *m;

	if (ex->opt.from) {
		ex->eo.pause = from_pause;
		ex->eo.pause_ctx = ex->opt.from;
		ex->eo.slow = true;
	}
	m = inputs_machine(ex->opt.inputs, ex->p, argc, argv, envp, &ex->eo, &ex->res, &ex->sym,
		ex->ts);
	if (!m)
		return NULL;
	if (!ex->opt.no_summaries)
		summaries_install(m);
	if (ex->opt.from && from_install(ex->opt.from, m)) {
		world_free(m->world);
		machine_free(m);
		return NULL;
	}
	ex->eo.pause = NULL;
	m->slow = ex->eo.slow = ex->opt.max_branches || ex->opt.branch;
	return m;
}

/* The arguments as one string. */
static char *join_args(int argc, char *const *argv)
{
	struct strbuf b = {0};

	for (int i = 0; i < argc; i++)
		strbuf_addf(&b, "%s\n", argv[i]);
	return strbuf_detach(&b);
}

static uint64_t hash_of(char *const *envp)
{
	uint64_t h = 0;

	for (; *envp; envp++)
		h = hash_u64(h ^ hash_bytes(*envp, strlen(*envp)));
	return h;
}

struct explore *explore_new(const struct ir_program *p, int argc, char *const *argv,
	char *const *envp, const struct explore_options *opt)
{
	struct explore *ex = xcalloc(1, sizeof *ex);
	struct ask_options ao = {.seconds = opt->solver_seconds, .dump = opt->dump_smt};

	ex->p = p;
	ex->opt = *opt;
	ex->settings = join_args(argc, argv);
	ex->environment = hash_of(envp);
	ex->t0 = ex->told = clock_seconds();
	ex->ts = terms_new();
	ex->ask = ask_new(ex->ts, &ao);
	ask_until(ex->ask, opt->seconds > 0 ? ex->t0 + opt->seconds : 0);
	ex->cov = coverage_new(p);
	ex->frontier = frontier_new(opt->search, opt->seed | 1, ex->cov);
	term_assign_init(&ex->model, ex->ts);
	ex->sym = (struct sym){
		.ask = ex->ask, .ops = &explore_sym_ops, .ctx = ex, .one_way = &ex->one_way};
	ex->eo = (struct exec_options){.switches = opt->switches,
		.stubs = opt->stubs,
		.nstubs = opt->nstubs,
		.pick = explore_pick,
		.pick_ctx = ex,
		.spurious = opt->spurious,
		.lent = &ex->lent,
		.cover = coverage_marks(ex->cov),
		.max_branches = opt->max_branches,
		.branch = opt->branch,
		.branch_ctx = opt->ctx,
		.slow = opt->max_branches || opt->branch};
	ex->merge = merge_new(ex);
	ex->m = new_machine(ex, argc, argv, envp);
	if (!ex->m) {
		explore_free(ex);
		return NULL;
	}
	if (assume_at_start(ex)) {
		explore_free(ex);
		return NULL;
	}
	ex->m->fuel = EXPLORE_SLICE;
	ex->start = snapshot_new(machine_save(ex->m));
	return ex;
}

void explore_free(struct explore *ex)
{
	vec_each (&ex->findings, i) {
		free(ex->findings.at[i].file);
		free(ex->findings.at[i].report);
		free(ex->findings.at[i].test);
		testcase_free(ex->findings.at[i].tc);
	}
	vec_each (&ex->reasons, i)
		free(ex->reasons.at[i].why);
	vec_release(&ex->findings);
	vec_release(&ex->reasons);
	loops_forget(ex);
	omitted_drop(ex->omitted);
	omitted_drop(ex->held_omitted);
	bitset_release(&ex->loop.stuck);
	merge_free(ex->merge);
	bitset_release(&ex->lent);
	map_release(&ex->races);
	free(ex->settings);
	trail_drop(ex->trail);
	sleep_release(&ex->sleep);
	sleep_release(&ex->held);
	vec_release(&ex->script);
	frontier_free(ex->frontier);
	snapshot_drop(ex->start);
	if (ex->m) {
		world_free(ex->m->world);
		machine_free(ex->m);
	}
	exec_result_release(&ex->res);
	coverage_free(ex->cov);
	term_assign_release(&ex->model);
	sym_release(&ex->sym);
	ask_free(ex->ask);
	terms_free(ex->ts);
	free(ex);
}

/* ---- results --------------------------------------------------------------------------------- */

const struct explore_stats *explore_stats(struct explore *ex)
{
	ex->stats.states = frontier_count(ex->frontier);
	ex->stats.bytes = frontier_bytes(ex->frontier);
	if (!ex->ended)
		ex->stats.seconds = clock_seconds() - ex->t0;
	ex->stats.ask = ask_stats(ex->ask);
	ex->stats.infeasible = ex->one_way - MIN(ex->one_way, ex->stats.forks);
	return &ex->stats;
}

const struct explore_finding *explore_findings(const struct explore *ex, uint32_t *n)
{
	*n = ex->findings.n;
	return ex->findings.at;
}

const struct explore_reason *explore_reasons(const struct explore *ex, uint32_t *n)
{
	*n = ex->reasons.n;
	return ex->reasons.at;
}

struct coverage *explore_coverage(struct explore *ex)
{
	return ex->cov;
}

bool explore_complete(const struct explore *ex)
{
	return !ex->cut && !ex->bounded && !ex->stats.undecided && !ex->stats.incomplete &&
	       !ex->stats.ends[END_BUDGET] && !ex->stats.ends[END_STOPPED];
}

const char *explore_excluded(const struct explore *ex)
{
	const struct explore_stats *s = &ex->stats;

	if (ex->excluded)
		return "no input meets the assumption";
	if (ex->opt.branch || ex->cut)
		return NULL;
	if (ex->opt.assume && !ex->opt.from && assumptions_have_global(ex->opt.assume) && !s->met)
		return s->assumed ? "no input meets the assumption where the first thread is created"
				  : "the assumption was not evaluated, because no path creates a thread";
	return s->paths && s->ends[END_ASSUMED] == s->paths ? "no input meets the assumptions" : NULL;
}

bool explore_has_inputs(const struct explore *ex)
{
	return ir_find_func(ex->p, "__heddle_user_input") != IR_NONE;
}

bool explore_reads_clock(const struct explore *ex)
{
	return ex->m ? inputs_have_clock(ex->p, ex->m) : ir_reads_cycles(ex->p);
}

const char *explore_stopped(const struct explore *ex)
{
	return ex->stopped;
}
