/*
 * The choice of the next thread: the path continues with one of the choices that the reduction
 * leaves, and states are kept for the others.
 */
#include "explore/explore_internal.h"

#include "base/bitset.h"
#include "base/vec.h"

#include <string.h>

/* The next ready thread, round robin, so that a waiting loop does not run forever. */
static uint32_t next_in_turn(const struct machine *m, const uint32_t *ready, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (ready[i] > m->current)
			return ready[i];
	return ready[0];
}

/* The ready threads that the reduction requires to explore here; returns their number. */
static uint32_t reduce_choices(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t *out)
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

/* The limit of preemptions is reached and the current thread continues: notes whether that leaves
 * out other choices. */
static void note_bound(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t *scratch)
{
	uint32_t k = ex->opt.all_orders ? n : reduce_choices(ex, ready, n, scratch);

	if (k > 1 || (k && !ex->opt.all_orders && scratch[0] != ex->m->current)) {
		ex->bounded = true;
		explore_reason_add(
			ex, "orders with more preemptions were not explored (--preemptions)");
	}
}

static uint32_t list_candidates(
	struct explore *ex, const uint32_t *ready, uint32_t n, enum exec_pick why, uint32_t *out)
{
	uint32_t k;

	if (why == EXEC_PICK_POINT && ex->sym.preemptions >= ex->opt.preemptions &&
		!bitset_has(&ex->loop.stuck, ex->m->current)) {
		note_bound(ex, ready, n, out);
		out[0] = ex->m->current;
		return 1;
	}
	for (uint32_t i = 0; i < n; i++)
		if (ex->m->threads.at[ready[i]]->waits_first) { /* initial waiters run first */
			out[0] = ready[i];
			return 1;
		}
	if (ex->opt.all_orders)
		memcpy(out, ready, (k = n) * sizeof *out);
	else
		k = reduce_choices(ex, ready, n, out);
	/* the current thread first, for the fewest switches */
	for (uint32_t i = 1; i < k; i++)
		if (out[i] == ex->m->current) {
			memmove(out + 1, out, i * sizeof *out);
			out[0] = ex->m->current;
		}
	return k;
}

uint32_t pick_go(struct explore *ex, uint32_t thread, enum exec_pick why)
{
	bool other = thread != ex->m->current;

	if (other || why == EXEC_PICK_BLOCKED) /* else explore_default_pick() chooses it */
		vec_push(&ex->sym.switches, (struct sym_switch){thread, ex->sym.picks});
	ex->sym.preemptions += other && why == EXEC_PICK_POINT;
	ex->stats.switches += other;
	ex->sym.picks++;
	return thread;
}

/* Keeps states for c[1], c[2], …; the sleep set of each has the choices before it. */
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
		path_keep(ex, s, snap, c[i]);
	}
	sleep_release(&sleep);
	snapshot_drop(snap);
}

uint32_t explore_pick(
	void *ctx, struct machine *m, const uint32_t *all, uint32_t nall, enum exec_pick why)
{
	struct explore *ex = ctx;
	struct pending mine;
	uint32_t ready[64], c[64], k, n = nall;

	if (ex->probe)
		return loops_probe_pick(ex, all, n, why);
	omitted_drop(ex->omitted);
	ex->omitted = NULL;
	if (why == EXEC_PICK_SLICE) {
		vec_clear(&ex->sleep.at);
		return pick_go(ex, next_in_turn(m, all, n), why);
	}
	if (why == EXEC_PICK_POINT && ex->opt.switches == EXEC_SWITCH_ACCESS)
		race_check(ex, m->threads.at[m->current], all, n);
	if (why == EXEC_PICK_POINT)
		lend_note(ex, m->threads.at[m->current]);
	for (uint32_t i = 0; i < nall; i++)
		lend_begin(ex, m->threads.at[all[i]]);
	if (ex->begin_again)
		return all[0];
	path_note_output(ex);
	if (scripted(ex)) /* an earlier path made the choice here */
		return pick_go(ex, nall > 1 ? path_follow(ex) : all[0], why);
	if (why == EXEC_PICK_POINT)
		loops_note(ex);
	merge_note_clock(ex);
	if (ex->begin_again) {
		path_interrupt(ex);
		return all[0];
	}
	n = loops_moving(ex, all, nall, ready);
	if (!n) {
		ex->livelock = loops_never_end(ex, all, nall);
		ex->pruned = !ex->livelock;
		path_interrupt(ex);
		return all[0];
	}
	if (nall > 1 && merge_visit(ex)) {
		ex->pruned = true;
		path_interrupt(ex);
		return ready[0];
	}
	k = list_candidates(ex, ready, n, why, c);
	if (!k) {
		ex->pruned = true;
		path_interrupt(ex);
		return ready[0];
	}
	mine = pending_of(m, m->threads.at[c[0]]);
	if (k > 1)
		keep_others(ex, c, k, why);
	else if (n > 1 && mine.kind == PENDING_OWN && !ex->opt.all_orders)
		omitted_take(ex, ready, n, c[0], why);
	if (nall > 1)
		path_step(ex, c[0]);
	sleep_step(&ex->sleep, &mine);
	return pick_go(ex, c[0], why);
}

uint32_t explore_default_pick(
	const struct machine *m, const uint32_t *ready, uint32_t n, enum exec_pick why)
{
	for (uint32_t i = 0; i < n; i++)
		if (m->threads.at[ready[i]]->state == THREAD_READY &&
			(why == EXEC_PICK_POINT ? ready[i] == m->current : ready[i] > m->current))
			return ready[i];
	for (uint32_t i = 0; i < n; i++)
		if (m->threads.at[ready[i]]->state == THREAD_READY)
			return ready[i];
	return ready[0];
}
