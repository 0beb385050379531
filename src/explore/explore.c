#include "explore/explore.h"

#include "base/clock.h"
#include "base/diag.h"
#include "exec/code.h"
#include "exec/summary.h"
#include "explore/exploring.h"
#include "explore/from.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 200000 }; /* instructions of a thread between two looks at budgets, as in sched.c */

void explore_reason_add(struct explore *ex, const char *why)
{
	vec_each (&ex->reasons, i)
		if (!strcmp(ex->reasons.at[i].why, why)) {
			ex->reasons.at[i].count++;
			return;
		}
	vec_push(&ex->reasons, (struct explore_reason){xstrdup(why), 1});
}

/* ---- budgets ------------------------------------------------------------------------------------------ */

static void note_states(struct explore *ex)
{
	ex->stats.states = frontier_count(ex->frontier);
	ex->stats.bytes = frontier_bytes(ex->frontier);
	ex->stats.most_states = MAX(ex->stats.most_states, ex->stats.states);
	ex->stats.most_bytes = MAX(ex->stats.most_bytes, ex->stats.bytes);
	if (ex->opt.max_memory && ex->stats.bytes > ex->opt.max_memory)
		frontier_shrink(ex->frontier, ex->opt.max_memory / 4 * 3);
}

static bool spent(struct explore *ex)
{
	const struct explore_options *o = &ex->opt;
	double now = clock_seconds();

	if (o->interrupted && *o->interrupted)
		ex->stopped = "interrupted";
	else if (o->seconds > 0 && now - ex->t0 >= o->seconds)
		ex->stopped = "the time is used up (--seconds)";
	else if (o->max_paths && ex->stats.paths >= o->max_paths)
		ex->stopped = "the number of paths is reached (--max-paths)";
	if (o->progress && now - ex->told > 0.2) {
		ex->told = now;
		o->progress(o->ctx, ex);
	}
	return ex->stopped != NULL;
}

/* Now and then amid a path: true if it has to be left. */
static bool looks(struct explore *ex)
{
	enum { EVERY = 32 };

	if (++ex->looked % EVERY)
		return false;
	note_states(ex);
	return spent(ex);
}

/* ---- forks ------------------------------------------------------------------------------------------ */

/* The rest of the path at hand is not wanted: it ends between two instructions. */
static void interrupt_path(struct explore *ex)
{
	if (ex->m->fuel >= 0)
		ex->fuel = ex->m->fuel;
	ex->m->fuel = -1;
}

static void trail_step(struct explore *ex, uint32_t choice)
{
	struct trail *t = trail_add(ex->trail, choice);

	trail_drop(ex->trail);
	ex->trail = t;
}

static void keep(struct explore *ex, struct state *s, struct snapshot *snap, uint32_t choice)
{
	s->snap = snapshot_keep(snap);
	s->trail = trail_add(ex->trail, choice);
	frontier_add(ex->frontier, s);
}

/* Where the state will stand when the condition at hand goes that way. */
static void aim(struct machine *m, struct thread *t, bool truth, struct state *s)
{
	struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	const struct ir_insn *in = &fn->insns.at[frame_insn(f, true)];

	if (f->code->model || ir_ops[in->op].shape != IR_S_CBR)
		return;
	s->func = f->func;
	s->block = fn->edges.at[in->arg[truth ? 1 : 2]].to;
}

static bool explore_fork(void *ctx, struct machine *m, struct thread *t, term_t c)
{
	struct explore *ex = ctx;
	struct snapshot *snap;
	struct state *s;

	ex->stats.forks++;
	if (scripted(ex)) {
		bool truth = ex->script.at[ex->script_at++];

		trail_step(ex, truth);
		return truth;
	}
	if (ex->opt.max_depth && m->sym->forks > ex->opt.max_depth) {
		ex->over = "the limit of decisions on a path (--max-depth)";
		interrupt_path(ex);
		return true;
	}
	snap = snapshot_new(machine_save(m));
	s = state_new();
	s->assume = term_not(ex->ts, c);
	sleep_copy(&s->sleep, &ex->sleep);
	aim(m, t, false, s);
	keep(ex, s, snap, false);
	snapshot_drop(snap);
	trail_step(ex, true);
	if (ex->opt.search != EXPLORE_DFS || looks(ex)) {
		ex->suspend = true;
		interrupt_path(ex);
	}
	return true;
}

static void explore_incomplete(void *ctx, struct machine *m, struct thread *t, const char *why)
{
	(void)m, (void)t;
	explore_reason_add(ctx, *why ? why : "a question without an answer");
}

static enum step explore_invariant(void *ctx, struct machine *m, struct thread *t,
	const char *operation, struct opnd object)
{
	struct explore *ex = ctx;

	if (!ex->opt.from || !m->sym->lazy)
		return STEP_NEXT;
	return from_invariant(ex->opt.from, m, t, operation, object);
}

static const struct sym_ops sym_ops = {explore_fork, explore_incomplete, explore_invariant};

/* ---- threads ------------------------------------------------------------------------------------------ */

/* The outside is seen by everybody: a step that changed something there commutes with no other that
 * does. */
static void note_output(struct explore *ex)
{
	uint64_t n = ex->m->world ? world_changes(ex->m->world) : 0;

	if (n != ex->written)
		vec_clear(&ex->sleep.at);
	ex->written = n;
}

/* The thread after the current one, in a circle: a loop that waits for another must not run for ever. */
static uint32_t next_in_turn(const struct machine *m, const uint32_t *ready, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (ready[i] > m->current)
			return ready[i];
	return ready[0];
}

/* ---- loops that only wait --------------------------------------------------------------------------- */

static void forget_loops(struct explore *ex)
{
	if (ex->loop.mark)
		saved_free(ex->loop.mark);
	bitset_clear(&ex->loop.stuck);
	ex->loop.mark = NULL;
	ex->loop.since = 0;
	ex->loop.power = 1;
}

/*
 * The current thread stands before a switch point. If all is as it was at the mark, what was done since
 * is a round of a loop that changed nothing, and the thread need not go on before another has; the mark
 * moves on in growing steps (Brent 1980), so that loops of every length are noticed.
 */
static void note_loop(struct explore *ex)
{
	struct machine *m = ex->m;

	if (ex->loop.mark && machine_same(m, ex->loop.mark)) {
		bitset_add(&ex->loop.stuck, m->current);
		if (!ex->loop.since) /* one round was one step */
			spin_note(&ex->sleep, m, m->threads.at[m->current]);
		return;
	}
	bitset_clear(&ex->loop.stuck);
	if (ex->loop.mark && ++ex->loop.since < ex->loop.power)
		return;
	if (ex->loop.mark)
		saved_free(ex->loop.mark);
	ex->loop.mark = machine_save(m);
	ex->loop.since = 0;
	ex->loop.power *= 2;
}

/* Those of the ready threads that do not wait in loops. */
static uint32_t moving(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t *out)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!bitset_has(&ex->loop.stuck, ready[i]) &&
			!spin_waits(&ex->sleep, ex->m, ready[i]))
			out[k++] = ready[i];
	return k;
}

/* The threads that have to be tried here, of the ready ones: what the reduction leaves. */
static uint32_t reduced(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t *out)
{
	uint32_t k = 0, waiting = IR_NONE;
	bool asleep = false;

	for (uint32_t i = 0; i < n; i++) {
		struct pending p = pending_of(ex->m, ex->m->threads.at[ready[i]]);

		if (p.kind == PENDING_OWN && !p.blocks) {
			out[0] = ready[i];
			return 1;
		}
		if (p.blocks)
			waiting = ready[i];
		else if (sleep_has(&ex->sleep, ready[i]))
			asleep = true;
		else
			out[k++] = ready[i];
	}
	if (!k && !asleep && waiting != IR_NONE)
		out[k++] = waiting;
	return k;
}

static uint32_t candidates(struct explore *ex, const uint32_t *ready, uint32_t n, enum exec_pick why,
	uint32_t *out)
{
	uint32_t k;

	if (why == EXEC_PICK_POINT && ex->sym.preemptions >= ex->opt.preemptions &&
		!bitset_has(&ex->loop.stuck, ex->m->current)) {
		out[0] = ex->m->current;
		return 1;
	}
	for (uint32_t i = 0; i < n; i++)
		if (ex->m->threads.at[ready[i]]->waits_first) { /* before anything else happens */
			out[0] = ready[i];
			return 1;
		}
	if (ex->opt.all_orders)
		memcpy(out, ready, (k = n) * sizeof *out);
	else
		k = reduced(ex, ready, n, out);
	/* the current one first: fewest switches */
	for (uint32_t i = 1; i < k; i++)
		if (out[i] == ex->m->current) {
			memmove(out + 1, out, i * sizeof *out);
			out[0] = ex->m->current;
		}
	return k;
}

static uint32_t go(struct explore *ex, uint32_t thread, enum exec_pick why)
{
	if (thread != ex->m->current) {
		vec_push(&ex->sym.switches, (struct sym_switch){thread, ex->sym.picks});
		ex->sym.preemptions += why == EXEC_PICK_POINT;
		ex->stats.switches++;
	}
	ex->sym.picks++;
	return thread;
}

/* Others than the chosen thread are kept; what was chosen before need not run first after them. */
static void keep_others(struct explore *ex, const uint32_t *c, uint32_t k, enum exec_pick why)
{
	struct snapshot *snap = snapshot_new(machine_save(ex->m));
	struct sleep sleep = {0};

	sleep_copy(&sleep, &ex->sleep);
	for (uint32_t i = 1; i < k; i++) {
		struct pending before = pending_of(ex->m, ex->m->threads.at[c[i - 1]]);
		struct pending mine = pending_of(ex->m, ex->m->threads.at[c[i]]);
		struct state *s = state_new();

		vec_push(&sleep.at, before);
		sleep_copy(&s->sleep, &sleep);
		sleep_step(&s->sleep, &mine);
		s->pick = c[i];
		s->why = why;
		keep(ex, s, snap, c[i]);
	}
	sleep_release(&sleep);
	snapshot_drop(snap);
}

/*
 * A step that touches nothing shared was chosen alone. If it ends the program all the same, by a fault,
 * the others could have been there first: they are kept then (spare_use).
 */
static void spare_drop(struct explore *ex)
{
	snapshot_drop(ex->spare.snap);
	trail_drop(ex->spare.trail);
	ex->spare.snap = NULL;
	ex->spare.trail = NULL;
}

static void spare_take(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t chosen,
	enum exec_pick why)
{
	struct pending p = pending_of(ex->m, ex->m->threads.at[chosen]);

	ex->spare.snap = snapshot_new(machine_save(ex->m));
	ex->spare.trail = trail_keep(ex->trail);
	ex->spare.why = why;
	sleep_copy(&ex->spare.sleep, &ex->sleep);
	vec_push(&ex->spare.sleep.at, p);
	vec_clear(&ex->spare.others);
	for (uint32_t i = 0; i < n; i++)
		if (ready[i] != chosen && !sleep_has(&ex->sleep, ready[i]))
			vec_push(&ex->spare.others, ready[i]);
}

void spare_use(struct explore *ex)
{
	if (!ex->spare.snap)
		return;
	vec_each (&ex->spare.others, i) {
		struct state *s = state_new();

		s->pick = ex->spare.others.at[i];
		s->why = ex->spare.why;
		s->snap = snapshot_keep(ex->spare.snap);
		s->trail = trail_add(ex->spare.trail, s->pick);
		sleep_copy(&s->sleep, &ex->spare.sleep);
		frontier_add(ex->frontier, s);
	}
	spare_drop(ex);
}

static uint32_t explore_pick(void *ctx, struct machine *m, const uint32_t *all, uint32_t nall,
	enum exec_pick why)
{
	struct explore *ex = ctx;
	struct pending mine;
	uint32_t ready[64], c[64], k, n = nall;

	spare_drop(ex);

	if (why == EXEC_PICK_SLICE) {
		vec_clear(&ex->sleep.at);
		return go(ex, next_in_turn(m, all, n), why);
	}
	if (why == EXEC_PICK_POINT && ex->opt.switches == EXEC_SWITCH_ACCESS)
		race_check(ex, m->threads.at[m->current], all, n);
	note_output(ex);
	if (why == EXEC_PICK_POINT)
		note_loop(ex);
	n = moving(ex, all, nall, ready);
	if (!n) {
		ex->livelock = true;
		interrupt_path(ex);
		return all[0];
	}
	if (nall > 1 && scripted(ex)) {
		c[0] = ex->script.at[ex->script_at++];
		trail_step(ex, c[0]);
		vec_clear(&ex->sleep.at);
		return go(ex, c[0], why);
	}
	k = candidates(ex, ready, n, why, c);
	if (!k) {
		ex->pruned = true;
		interrupt_path(ex);
		return ready[0];
	}
	mine = pending_of(m, m->threads.at[c[0]]);
	if (k > 1)
		keep_others(ex, c, k, why);
	else if (n > 1 && mine.kind == PENDING_OWN && !ex->opt.all_orders)
		spare_take(ex, ready, n, c[0], why);
	if (nall > 1)
		trail_step(ex, c[0]);
	sleep_step(&ex->sleep, &mine);
	return go(ex, c[0], why);
}

/* ---- one path ------------------------------------------------------------------------------------------ */

static uint32_t block_of(const struct ir_func *fn, uint32_t insn)
{
	uint32_t lo = 0, hi = fn->blocks.n;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (fn->blocks.at[mid].first <= insn)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void suspend_path(struct explore *ex, struct thread *t)
{
	struct state *s = state_new();
	struct frame *f = top(t);

	if (ex->m->fuel < 0)
		ex->m->fuel = ex->suspend ? ex->fuel : SLICE;
	s->snap = snapshot_new(machine_save(ex->m));
	s->trail = trail_keep(ex->trail);
	sleep_copy(&s->sleep, &ex->sleep);
	if (!f->code->model) {
		s->func = f->func;
		s->block = block_of(frame_func(ex->m, f), frame_insn(f, true));
	}
	frontier_add(ex->frontier, s);
}

/* Between two instructions: what must happen to the path before it goes on; true if it does not. */
static bool leave_path(struct explore *ex, struct thread *t)
{
	struct machine *m = ex->m;

	if (ex->opt.max_instructions && m->instructions >= ex->opt.max_instructions)
		ex->over = "the limit of instructions on a path (--max-instructions)";
	if (ex->pruned)
		return true;
	if (ex->livelock) {
		fault_plain(m, t, "livelock",
			"every thread that can run waits in a loop for what nobody will change", 0);
		outcome(ex, t);
		return true;
	}
	if (ex->over) {
		stop_unknown(m, t, "budget", "%s is reached", ex->over);
		explore_reason_add(ex, ex->over);
		outcome(ex, t);
		return true;
	}
	if (t->state == THREAD_READY && (ex->suspend || spent(ex))) {
		suspend_path(ex, t);
		return true;
	}
	return false;
}

static void run_path(struct explore *ex, struct thread *t)
{
	struct machine *m = ex->m;
	struct thread *last = t;
	enum step st;

	for (;;) {
		st = top(t)->careful ? step_run(m, t) : interp_run(m, t);
		if (st == STEP_STOP)
			break;
		if (st != STEP_SWITCH && st != STEP_AGAIN)
			continue;
		if (m->fuel < 0 && st == STEP_SWITCH && t->state == THREAD_READY && leave_path(ex, t))
			return;
		t = sched_pick(m, last = t, st == STEP_AGAIN);
		if (!t)
			break;
		ex->suspend |= looks(ex);
		if ((ex->suspend || ex->pruned || ex->livelock || ex->over) && leave_path(ex, t))
			return;
	}
	outcome(ex, t ? t : last);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static void take_up(struct explore *ex, struct state *s)
{
	struct machine *m = ex->m;
	struct thread *t;

	trail_drop(ex->trail);
	ex->trail = NULL;
	vec_clear(&ex->script);
	ex->script_at = 0;
	ex->suspend = ex->pruned = ex->livelock = false;
	spare_drop(ex);
	forget_loops(ex);
	ex->over = NULL;
	strbuf_clear(&ex->res.report);
	sleep_copy(&ex->sleep, &s->sleep);
	if (s->snap) {
		machine_restore(m, s->snap->saved);
		ex->trail = trail_keep(s->trail);
	} else {
		machine_restore(m, ex->start->saved);
		trail_list(s->trail, &ex->script);
		vec_clear(&ex->sleep.at);
	}
	ex->written = m->world ? world_changes(m->world) : 0;
	ex->began = m->instructions;
	if (s->snap && s->assume.id)
		sym_assume(m, s->assume);
	t = m->threads.at[m->current];
	if (s->snap && s->pick != IR_NONE) {
		t = m->threads.at[go(ex, s->pick, s->why)];
		m->current = t->id;
		m->fuel = SLICE;
	}
	state_free(s);
	run_path(ex, t);
	ex->stats.instructions += m->instructions - ex->began;
}

int explore_run(struct explore *ex)
{
	struct state *s;

	if (ex->opt.resume) {
		if (frontier_read(ex) < 0)
			return -1;
	} else {
		s = state_new();
		s->snap = snapshot_keep(ex->start);
		frontier_add(ex->frontier, s);
	}
	while (!spent(ex) && (s = frontier_take(ex->frontier))) {
		take_up(ex, s);
		note_states(ex);
	}
	ex->cut |= frontier_count(ex->frontier) > 0;
	ex->stats.seconds = clock_seconds() - ex->t0;
	return frontier_write(ex);
}

static struct machine *new_machine(struct explore *ex, int argc, char *const *argv, char *const *envp)
{
	int n;
	char **a, **e;
	struct world_options world;
	struct machine *m;

	if (inputs_arguments(ex->opt.inputs, argc, argv, envp, &n, &a, &e))
		return NULL;
	ex->eo.envp = e;
	if (ex->opt.from) {
		ex->eo.pause = from_pause;
		ex->eo.pause_ctx = ex->opt.from;
		ex->eo.slow = true;
	}
	m = machine_new(ex->p, n, a, &ex->eo, &ex->res);
	if (!m)
		return NULL;
	m->sym = &ex->sym;
	world = inputs_world(ex->opt.inputs);
	m->world = world_new(&world);
	inputs_install(ex->opt.inputs, m);
	if (!ex->opt.no_summaries)
		summaries_install(m);
	if (ex->opt.from && from_install(ex->opt.from, m)) {
		world_free(m->world);
		machine_free(m);
		return NULL;
	}
	ex->eo.pause = NULL;
	m->slow = ex->eo.slow = ex->opt.max_branches != 0;
	return m;
}

/* one word for all arguments */
static char *join(int argc, char *const *argv)
{
	struct strbuf b = {0};

	for (int i = 0; i < argc; i++)
		strbuf_addf(&b, "%s\n", argv[i]);
	return strbuf_detach(&b);
}

struct explore *explore_new(const struct ir_program *p, int argc, char *const *argv,
	char *const *envp, const struct explore_options *opt)
{
	struct explore *ex = xcalloc(1, sizeof *ex);
	struct ask_options ao = {.seconds = opt->solver_seconds, .dump = opt->dump_smt};

	ex->p = p;
	ex->opt = *opt;
	ex->settings = join(argc, argv);
	ex->t0 = ex->told = clock_seconds();
	ex->ts = terms_new();
	ex->ask = ask_new(ex->ts, &ao);
	ex->cov = coverage_new(p);
	ex->frontier = frontier_new(opt->search, opt->seed | 1, ex->cov);
	term_assign_init(&ex->model, ex->ts);
	ex->sym = (struct sym){.ts = ex->ts, .ask = ex->ask, .ops = &sym_ops, .ctx = ex};
	ex->eo = (struct exec_options){.switches = opt->switches, .stubs = opt->stubs,
		.nstubs = opt->nstubs, .pick = explore_pick, .pick_ctx = ex,
		.cover = coverage_marks(ex->cov), .max_branches = opt->max_branches,
		.slow = opt->max_branches != 0};
	ex->m = new_machine(ex, argc, argv, envp);
	if (!ex->m) {
		explore_free(ex);
		return NULL;
	}
	ex->m->fuel = SLICE;
	ex->start = snapshot_new(machine_save(ex->m));
	return ex;
}

void explore_free(struct explore *ex)
{
	vec_each (&ex->findings, i) {
		free(ex->findings.at[i].kind);
		free(ex->findings.at[i].file);
		free(ex->findings.at[i].report);
		free(ex->findings.at[i].test);
	}
	vec_each (&ex->reasons, i)
		free(ex->reasons.at[i].why);
	vec_release(&ex->findings);
	vec_release(&ex->reasons);
	forget_loops(ex);
	spare_drop(ex);
	sleep_release(&ex->spare.sleep);
	vec_release(&ex->spare.others);
	bitset_release(&ex->loop.stuck);
	map_release(&ex->races);
	free(ex->settings);
	trail_drop(ex->trail);
	sleep_release(&ex->sleep);
	vec_release(&ex->script);
	frontier_free(ex->frontier);
	snapshot_drop(ex->start);
	if (ex->m) {
		world_free(ex->m->world);
		machine_free(ex->m);
	}
	map_release(&ex->sym.bases);
	exec_result_release(&ex->res);
	coverage_free(ex->cov);
	term_assign_release(&ex->model);
	vec_release(&ex->sym.path);
	vec_release(&ex->sym.switches);
	ask_free(ex->ask);
	terms_free(ex->ts);
	free(ex);
}

/* ---- results ------------------------------------------------------------------------------------------ */

const struct explore_stats *explore_stats(struct explore *ex)
{
	ex->stats.states = frontier_count(ex->frontier);
	ex->stats.bytes = frontier_bytes(ex->frontier);
	ex->stats.seconds = clock_seconds() - ex->t0;
	ex->stats.ask = ask_stats(ex->ask);
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
	return !ex->cut && !ex->stats.incomplete && !ex->stats.ends[END_BUDGET] &&
	       !ex->stats.ends[END_STOPPED];
}

const char *explore_stopped(const struct explore *ex)
{
	return ex->stopped;
}
