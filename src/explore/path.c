/* Execution of one path: from a state until the path ends or goes back to the frontier. */
#include "explore/explore_internal.h"

#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/cfg.h"
#include "machine/code.h"

void path_interrupt(struct explore *ex)
{
	if (ex->m->fuel >= 0)
		ex->fuel = ex->m->fuel;
	ex->m->fuel = -1;
}

void path_step(struct explore *ex, uint32_t choice)
{
	struct trail *t = trail_add(ex->trail, choice);

	trail_drop(ex->trail);
	ex->trail = t;
}

static void set_omitted(struct omitted **to, struct omitted *s)
{
	omitted_keep(s);
	omitted_drop(*to);
	*to = s;
}

uint32_t path_follow(struct explore *ex)
{
	uint32_t choice = ex->script.at[ex->script_at++];

	path_step(ex, choice);
	if (!scripted(ex)) {
		sleep_copy(&ex->sleep, &ex->held);
		set_omitted(&ex->omitted, ex->held_omitted);
	}
	return choice;
}

void path_note_output(struct explore *ex)
{
	uint64_t n = ex->m->world ? world_changes(ex->m->world) : 0;

	if (n != ex->written)
		vec_clear(&ex->sleep.at);
	ex->written = n;
}

void path_keep(struct explore *ex, struct state *s, struct snapshot *snap, uint32_t choice)
{
	s->snap = snapshot_keep(snap);
	s->node = ex->node;
	s->trail = trail_add(ex->trail, choice);
	frontier_add(ex->frontier, s);
}

static void suspend_path(struct explore *ex, struct thread *t)
{
	struct state *s = state_new();
	struct frame *f = top(t);

	if (ex->m->fuel < 0)
		ex->m->fuel = ex->suspend ? ex->fuel : EXPLORE_SLICE;
	s->snap = snapshot_new(machine_save(ex->m));
	s->trail = trail_keep(ex->trail);
	s->node = ex->node;
	path_note_output(ex);
	sleep_copy(&s->sleep, &ex->sleep);
	s->omitted = omitted_keep(ex->omitted);
	if (!f->code->model) {
		s->func = f->func;
		s->block = cfg_block_of(frame_func(ex->m, f), frame_insn(f, true));
	}
	frontier_add(ex->frontier, s);
}

/* Called between two instructions: ends or suspends the path if a flag or a budget requires it;
 * true if so. */
static bool leave_path(struct explore *ex, struct thread *t)
{
	struct machine *m = ex->m;

	if (ex->opt.max_instructions && m->instructions >= ex->opt.max_instructions)
		ex->over = "the limit of instructions on a path (--max-instructions)";
	if (ex->pruned || ex->begin_again)
		return true;
	if (ex->livelock) {
		fault_plain(m, t, FAULT_LIVELOCK,
			"every thread that can run spins for a write that no thread executes", 0);
		outcome(ex, t);
		return true;
	}
	if (ex->over) {
		stop_unknown(m, t, STOP_BUDGET, "%s was reached", ex->over);
		explore_reason_add(ex, ex->over);
		outcome(ex, t);
		return true;
	}
	if (t->state == THREAD_READY && (ex->suspend || budget_spent(ex))) {
		suspend_path(ex, t);
		return true;
	}
	return false;
}

/* The slice ended in a model, where threads are not switched: begins another one, unless the path ends
 * or is suspended. */
static bool leave_model(struct explore *ex, struct thread *t)
{
	if (!top(t)->code->model)
		return false;
	if (leave_path(ex, t))
		return true;
	ex->m->fuel = EXPLORE_SLICE;
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
		if (st != STEP_SWITCH && st != STEP_AGAIN) {
			if (m->fuel < 0 && leave_model(ex, t))
				return;
			continue;
		}
		if (m->fuel < 0 && st == STEP_SWITCH && t->state == THREAD_READY &&
			leave_path(ex, t))
			return;
		t = sched_pick(m, last = t, st == STEP_AGAIN);
		if (!t)
			break;
		ex->suspend |= budget_looks(ex);
		if ((ex->suspend || ex->pruned || ex->begin_again || ex->livelock || ex->over) &&
			leave_path(ex, t))
			return;
	}
	outcome(ex, t ? t : last);
}

void path_take_up(struct explore *ex, struct state *s)
{
	struct machine *m = ex->m;
	struct thread *t;

	trail_drop(ex->trail);
	ex->trail = NULL;
	vec_clear(&ex->script);
	ex->script_at = 0;
	ex->suspend = ex->pruned = ex->livelock = false;
	set_omitted(&ex->omitted, s->snap ? s->omitted : NULL);
	set_omitted(&ex->held_omitted, s->snap ? NULL : s->omitted);
	loops_forget(ex);
	ex->over = NULL;
	strbuf_clear(&ex->res.report);
	ex->res.status = 0;
	sleep_clear(&ex->sleep);
	if (s->snap) {
		machine_restore(m, s->snap->saved);
		sleep_copy(&ex->sleep, &s->sleep);
		ex->trail = trail_keep(s->trail);
	} else {
		machine_restore(m, ex->start->saved);
		trail_list(s->trail, &ex->script);
		sleep_copy(&ex->held, &s->sleep);
	}
	ex->written = m->world ? world_changes(m->world) : 0;
	ex->began = m->instructions;
	if (s->snap && s->assume.id)
		sym_assume(m, s->assume);
	ex->node = s->node;
	t = m->threads.at[m->current];
	if (s->snap && s->pick != IR_NONE) {
		t = sched_start(m, pick_go(ex, s->pick, s->why));
		m->fuel = EXPLORE_SLICE;
	}
	state_free(s);
	run_path(ex, t);
	ex->stats.instructions += m->instructions - ex->began;
}
