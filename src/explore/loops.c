/*
 * Loops that only wait: a thread that reaches a switch point again with the same state of the whole
 * machine need not run before another thread has run.
 *
 * When every thread is in such a loop, the path has nothing new. It is a livelock only if no order of
 * the threads leads out of the loops: a thread that polls under a lock returns to the same state as
 * long as the others run only while it holds the lock, and that is no failure. loops_never_end()
 * executes all orders from there.
 */
#include "explore/explore_internal.h"

#include "base/bitset.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <string.h>

void loops_forget(struct explore *ex)
{
	if (ex->loop.mark)
		saved_free(ex->loop.mark);
	bitset_clear(&ex->loop.stuck);
	ex->loop.mark = NULL;
	ex->loop.since = 0;
	ex->loop.power = 1;
}

/*
 * If the state is the same as at the mark, the steps since then are a round of a loop that changes
 * nothing. The mark moves after distances that double (Brent 1980), so that loops of any length are
 * detected.
 */
void loops_note(struct explore *ex)
{
	struct machine *m = ex->m;

	if (ex->loop.mark && machine_same(m, ex->loop.mark)) {
		bitset_add(&ex->loop.stuck, m->current);
		merge_found_loop(ex);
		if (!ex->loop.since) /* the round has one step */
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

uint32_t loops_moving(struct explore *ex, const uint32_t *ready, uint32_t n, uint32_t *out)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!bitset_has(&ex->loop.stuck, ready[i]) &&
			!spin_waits(&ex->sleep, ex->m, ready[i]))
			out[k++] = ready[i];
	return k;
}

/* ---- livelocks ------------------------------------------------------------------------------- */

enum { PROBE_STATES = 256 }; /* at most so many different states are examined */

struct probe_state {
	struct saved *saved;
	uint32_t n, choices[64]; /* the threads that can run */
};

struct probe {
	VEC(struct probe_state) states;
	bool at_point;  /* the step that runs has reached the next choice */
	bool ends;      /* some order ends the program */
	bool undecided; /* a step forks, or has no end */
};

static void probe_add(struct explore *ex, const uint32_t *all, uint32_t n)
{
	struct probe_state *s;

	vec_each (&ex->probe->states, i)
		if (machine_same(ex->m, ex->probe->states.at[i].saved))
			return;
	s = vec_add(&ex->probe->states);
	s->saved = machine_save(ex->m);
	s->n = n;
	memcpy(s->choices, all, n * sizeof *all);
}

uint32_t loops_probe_pick(struct explore *ex, const uint32_t *all, uint32_t n, enum exec_pick why)
{
	struct probe *p = ex->probe;

	p->at_point = true;
	if (why == EXEC_PICK_SLICE)
		p->undecided = true;
	else
		probe_add(ex, all, n);
	return all[0];
}

/* Executes the thread from the state to the next choice. */
static void probe_step(struct explore *ex, const struct probe_state *from, uint32_t thread)
{
	struct machine *m = ex->m;
	struct probe *p = ex->probe;
	struct thread *t;
	enum step st;

	machine_restore(m, from->saved);
	m->fuel = EXPLORE_SLICE;
	p->at_point = false;
	for (t = sched_start(m, thread); t && !p->at_point;) {
		st = top(t)->careful ? step_run(m, t) : interp_run(m, t);
		if (st == STEP_STOP)
			break;
		if (st == STEP_SWITCH || st == STEP_AGAIN)
			t = sched_pick(m, t, st == STEP_AGAIN);
	}
	p->ends |= !p->at_point;
}

static void probe_all(struct explore *ex)
{
	struct probe *p = ex->probe;

	for (uint32_t i = 0; i < p->states.n && !p->ends && !p->undecided; i++) {
		struct probe_state s = p->states.at[i];

		for (uint32_t k = 0; k < s.n && !p->ends && !p->undecided; k++)
			probe_step(ex, &s, s.choices[k]);
		p->undecided |= p->states.n > PROBE_STATES;
	}
}

bool loops_never_end(struct explore *ex, const uint32_t *ready, uint32_t n)
{
	struct exec_result old = ex->res;
	struct probe p = {0};

	ex->probe = &p;
	ex->res = (struct exec_result){0};
	probe_add(ex, ready, n);
	probe_all(ex);
	machine_restore(ex->m, p.states.at[0].saved);
	exec_result_release(&ex->res);
	ex->res = old;
	ex->probe = NULL;
	vec_each (&p.states, i)
		saved_free(p.states.at[i].saved);
	vec_release(&p.states);
	if (p.undecided && !p.ends) {
		ex->stats.undecided++;
		explore_reason_add(ex, "it was not decided whether threads that wait in loops ever end");
	}
	return !p.ends && !p.undecided;
}

bool loops_probe_fork(struct explore *ex)
{
	if (ex->probe)
		ex->probe->undecided = ex->probe->at_point = true;
	return ex->probe != NULL;
}
