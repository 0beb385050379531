/*
 * Chooses the thread that runs next: by the segments of a schedule and then in order, at random, or
 * by random priorities (PCT).
 */
#include "runtime/enforce/spin.h"

enum { MAX_CHANGES = 64, PCT_QUANTUM = 2000, MAX_IDLE = 100 };

static uint64_t changes[MAX_CHANGES]; /* PCT: points at which a priority is lowered, rising */
static uint32_t nchanges, next_change;
static int64_t lowest; /* the lowest priority so far, given to a thread that gave way */

/* splitmix64 */
static uint64_t random_next(void)
{
	uint64_t z = control.random += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* 0 … n - 1, all of them as likely up to 2^-32 */
static uint32_t random_below(uint32_t n)
{
	return (uint32_t)((random_next() >> 32) * n >> 32);
}

void choose_start(void)
{
	const struct sched_shared *sh = control.shared;
	control.random = sh->seed;
	control.patience = sh->patience ? sh->patience : 50 * 1000 * 1000;
	if (sh->mode != SCHED_PCT)
		return;
	uint64_t length = sh->length ? sh->length : 10000;
	while (nchanges + 1 < sh->depth && nchanges < MAX_CHANGES) {
		uint64_t at = (uint64_t)((unsigned __int128)random_next() * length >> 64);
		uint32_t i = nchanges++;
		for (; i && changes[i - 1] > at; i--)
			changes[i] = changes[i - 1];
		changes[i] = at;
	}
}

void priority_init(struct controlled *t)
{
	if (control.shared->mode == SCHED_PCT)
		t->priority = (int64_t)(random_next() >> 2) + (1 << 16);
}

void choose_later(struct controlled *t)
{
	t->yielded = true;
	t->priority = --lowest;
}

bool can_run(struct controlled *t)
{
	switch (t->state) {
	case THREAD_READY:
	case THREAD_RUNNING: return true;
	case THREAD_BLOCKED: return t->ready(t);
	case THREAD_SLEEPING: return t->deadline <= control.now || t->cancelled;
	default: return false;
	}
}

static uint64_t all_points(void)
{
	const struct controlled *t = control.holder;
	return control.out->points + (t ? t->count - t->flushed : 0);
}

static void set_stop(struct controlled *t, uint64_t stop)
{
	uint64_t all = all_points();
	if (all >= control.patience)
		stuck("the run passed more scheduling points than its limit");
	uint64_t most = t->count + (control.patience - all);
	t->stop = stop < most ? stop : most;
}

/* Advances the virtual time to the deadline of the thread, which ends its wait or sleep. */
static void let_time_pass(struct controlled *t)
{
	if (t->deadline > control.now)
		control.now = t->deadline;
	if (t->state == THREAD_BLOCKED && !t->ready(t))
		t->timed_out = true;
}

/* ---- the end of the process ------------------------------------------------------------------ */

/*
 * The end of the process is the last event of its thread. It orders nothing: whatever other threads
 * do after it in one run, they could have done before it. So the thread that ends the process, by
 * its return from main() or a call of exit(), waits until no other thread can go on. Threads that
 * never end, and those in native code, are waited for only for a while.
 */
enum { HELD_POINTS = 100 * 1000, HELD_CHOICES = 5000, HELD_SLEEP = 100 };

static bool end_ready(struct controlled *unused)
{
	(void)unused;
	for (struct controlled *t = control.alive; t && !control.let_end; t = t->next)
		if (!t->ending && (t->state == THREAD_SLEEPING || t->deadline != NO_DEADLINE ||
					  can_run(t)))
			return false;
	return true;
}

bool end_is_due(void)
{
	control.let_end |= control.ending > 0;
	return control.ending > 0;
}

static void count_held(uint64_t n)
{
	if (!control.ending)
		return;
	control.held += n;
	if (control.held > HELD_CHOICES || all_points() - control.held_at > HELD_POINTS)
		control.let_end = true;
}

void enforce_end(bool twice)
{
	struct controlled *t = me;
	if (!in_control() || t->ending || (twice && !control.ending))
		return;
	control_lock();
	if (!control.ending++)
		control.held_at = all_points();
	t->ending = true;
	control_unlock();
	wait_until(LOG_S_PROCESS_EXIT, NULL, end_ready, NO_DEADLINE);
}

/* ---- segments -------------------------------------------------------------------------------- */

/* The thread passed no point for many yields and sleeps: it may never reach another one. */
static bool is_idle(const struct controlled *t)
{
	return t->idle_at == t->count && t->idle > MAX_IDLE;
}

/* A thread that is blocked in native code, such as a read of an empty pipe, can come no closer to its
 * next point before another thread runs. */
static bool reached_point(const struct controlled *t, uint64_t until)
{
	return t->count == until && (t->standing || t->state == THREAD_BLOCKED ||
					    t->state == THREAD_NATIVE ||
					    t->state == THREAD_ENDED || is_idle(t));
}

static const char *why_not(const struct controlled *t, uint64_t until)
{
	if (!t)
		return "it was not created yet";
	if (t->count > until)
		return "it is past that point";
	switch (t->state) {
	case THREAD_ENDED: return "it has ended";
	case THREAD_NATIVE: return "it is blocked in native code";
	default: return t->fds ? "it is blocked in native code" : "it is blocked";
	}
}

/* Wakes a thread that waits on a condition variable, if the schedule allows it; whether it can run. */
static bool wake_spuriously(struct controlled *t)
{
	if (!(control.shared->flags & SCHED_SPURIOUS) || t->state != THREAD_BLOCKED || !t->in_wait)
		return false;
	t->granted = true;
	return can_run(t);
}

static bool step_can_run(struct controlled *t, uint64_t until)
{
	if (!t || t->count > until || t->state == THREAD_ENDED || t->state == THREAD_NATIVE)
		return false;
	if (can_run(t))
		return true;
	if (t->deadline == NO_DEADLINE)
		return wake_spuriously(t);
	let_time_pass(t);
	return true;
}

/* The thread of the current segment; NULL when all segments are done. */
static struct controlled *choose_step(void)
{
	for (; control.step < control.shared->nsteps && !control.out->diverged; control.step++) {
		const struct sched_step *s = &control.steps[control.step];
		struct controlled *t = thread_of_number(s->thread);
		if (!t || !reached_point(t, s->until)) {
			if (step_can_run(t, s->until)) {
				set_stop(t, s->until);
				return t;
			}
			diverge(t, why_not(t, s->until));
			break;
		}
		control.out->done++;
	}
	return NULL;
}

static void steps_end(void)
{
	control.steps_done = true;
	control.tell_done = true;
	if (!control.out->diverged)
		check_goal();
}

/* The thread that continues first after the segments. */
static struct controlled *last_of_steps(struct controlled *now)
{
	uint32_t n = control.out->done;
	struct controlled *t = n ? thread_of_number(control.steps[n - 1].thread) : NULL;
	if (!t || t->state == THREAD_ENDED)
		return now;
	t->yielded = false; /* giving way during the segments does not count */
	t->spin.since = 0;
	return t;
}

/* ---- after the segments ---------------------------------------------------------------------- */

/* Of the threads that can run, the one with the next higher number, or the lowest of all. */
static struct controlled *choose_after(const struct controlled *now)
{
	struct controlled *higher = NULL, *low = NULL;
	for (struct controlled *t = control.alive; t; t = t->next) {
		if (!can_run(t))
			continue;
		if (!low || t->number < low->number)
			low = t;
		if (now && t->number > now->number && (!higher || t->number < higher->number))
			higher = t;
	}
	return higher ? higher : low;
}

static struct controlled *earliest(void)
{
	struct controlled *first = NULL;
	for (struct controlled *t = control.alive; t; t = t->next)
		if (t->deadline != NO_DEADLINE && (!first || t->deadline < first->deadline))
			first = t;
	return first;
}

static struct controlled *choose_in_order(struct controlled *now)
{
	struct controlled *t = now;
	if (!now || !can_run(now))
		t = choose_after(NULL);
	else if (now->yielded || now->count - now->segment >= SCHED_QUANTUM || spin_gives_way(now))
		t = choose_after(now);
	if (now && t == now && now->spin.quiet >= SPIN_POINTS && earliest()) {
		/* it waits for a thread that sleeps */
		t = earliest();
		let_time_pass(t);
	}
	if (now)
		now->yielded = false;
	if (!t)
		return NULL;
	if (t == now)
		t->segment = t->count;
	set_stop(t, t->count + SCHED_QUANTUM);
	return t;
}

/* ---- at random ---------------------------------------------------------------------------- */

/* A sleep orders nothing: a sleeping thread may continue before others. */
static bool may_be_next(struct controlled *t)
{
	return can_run(t) || t->state == THREAD_SLEEPING;
}

static struct controlled *prepare_next(struct controlled *t)
{
	if (!can_run(t))
		let_time_pass(t);
	set_stop(t, control.nalive > 1 ? 0 : UINT64_MAX);
	return t;
}

/* All threads that can run wait in loops: the time that passes may let another one continue. */
static struct controlled *end_of_wait(void)
{
	struct controlled *first = earliest();
	bool spins = false;
	for (struct controlled *t = control.alive; first && t; t = t->next) {
		if (!can_run(t))
			continue;
		if (t->spin.quiet < SPIN_POINTS)
			return NULL;
		spins = true;
	}
	return spins ? first : NULL;
}

static struct controlled *choose_random(void)
{
	uint32_t n = 0, k;
	struct controlled *t = end_of_wait();
	if (t)
		return prepare_next(t);
	for (t = control.alive; t; t = t->next)
		n += may_be_next(t);
	if (!n)
		return NULL;
	k = n > 1 ? random_below(n) : 0;
	for (t = control.alive; !may_be_next(t) || k--; t = t->next)
		;
	return prepare_next(t);
}

/* Burckhardt et al. 2010, section 3. In addition, a thread that runs alone for long, as in a loop
 * that waits for others, gets the lowest priority. */
static struct controlled *choose_by_priority(struct controlled *now)
{
	struct controlled *best = end_of_wait();
	if (best)
		return prepare_next(best);
	if (now && next_change < nchanges && all_points() >= changes[next_change]) {
		now->priority = (int64_t)(nchanges - next_change);
		next_change++;
	}
	if (now && (now->count - now->segment >= PCT_QUANTUM || spin_gives_way(now))) {
		choose_later(now);
		now->segment = now->count;
	}
	for (struct controlled *t = control.alive; t; t = t->next)
		if (may_be_next(t) && (!best || t->priority > best->priority))
			best = t;
	return best ? prepare_next(best) : NULL;
}

/* ---- all modes -------------------------------------------------------------------------- */

static struct controlled *choose_by_mode(struct controlled *now)
{
	switch (control.shared->mode) {
	case SCHED_RANDOM: return choose_random();
	case SCHED_PCT: return choose_by_priority(now);
	default: return choose_in_order(now);
	}
}

/* No thread can run: the first that waits for descriptors continues to wait in the system, because
 * another process, a timer or a signal can end its wait. NULL if there is none. */
static struct controlled *wait_outside(void)
{
	for (struct controlled *t = control.alive; t; t = t->next)
		if (t->state == THREAD_BLOCKED && t->fds) {
			t->outside = true;
			set_stop(t, t->count);
			return t;
		}
	return NULL;
}

struct controlled *choose(struct controlled *now)
{
	struct controlled *t;
	count_held(1);
	if (!control.steps_done && control.shared->mode == SCHED_STEPS) {
		t = choose_step();
		if (t)
			return t;
		steps_end();
		now = last_of_steps(now);
	}
	if (now && can_run(now))
		spin_check_livelock(now);
	t = choose_by_mode(now);
	if (t)
		return t;
	t = earliest();
	if (t) {
		count_held(HELD_SLEEP);
		let_time_pass(t);
		set_stop(t, t->count);
		return t;
	}
	for (t = control.alive; t; t = t->next)
		if (t->state == THREAD_NATIVE)
			return NULL;
	t = wait_outside();
	if (t)
		return t;
	if (control.nalive && !control.forked)
		deadlock();
	return NULL;
}
