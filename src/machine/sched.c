/*
 * Threads and the scheduler. Scheduling is cooperative: a thread runs until it blocks, gives way at
 * a scheduling point (sched_yields), or its slice of instructions ends. All choices come from the
 * seed, or from exec_options.pick.
 *
 * exec_options.pick also decides what a real system leaves open. A thread in a timed wait is a choice
 * at any moment: if it is chosen, its time is over. A notification of one of several waiters is an
 * *offer*, an entry of the queue without a thread: each waiter of the same address before it is a
 * choice, and the first that is chosen takes the offer. As soon as there are as many offers as waiters
 * before them, these waiters are ready.
 */
#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"
#include "machine/machine.h"
#include "machine/extension.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLICE_SEED0 = 200000, SLICE_MIN = 500, SLICE_SPAN = 20000 };

uint64_t sched_random(struct machine *m)
{
	/* splitmix64 */
	uint64_t z = m->rng += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t sched_now(const struct machine *m, int clock)
{
	uint64_t start = clock == CLOCK_REALTIME ? m->start_realtime : m->start_monotonic;

	if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
		return m->instructions;
	return start + m->instructions + m->skipped_ns;
}

/* ---- threads --------------------------------------------------------------------------------- */

struct thread *thread_new(struct machine *m, uint32_t creator, stack_id created_at)
{
	struct thread *t = xcalloc(1, sizeof *t);

	t->id = m->threads.n;
	t->stack = ADDR_STACK + t->id * STACK_STRIDE;
	t->sp = t->stack + 64;
	t->limit = t->stack + STACK_LIMIT;
	t->tls = ADDR_TLS + t->id * TLS_STRIDE;
	t->creator = creator;
	t->created_at = created_at;
	globals_init_tls(&m->globals, &m->mem, m->p, t->tls);
	vec_push(&m->threads, t);
	m->nlive++;
	return t;
}

void thread_done(struct machine *m, struct thread *t)
{
	while (t->frames.n)
		frame_pop(m, t);
	vec_each (&m->p->globals, i)
		if ((m->p->globals.at[i].flags & (IR_G_EXTERN | IR_G_TLS)) == IR_G_TLS)
			mem_unmap(&m->mem, t->tls + m->globals.addr[i], m->p->globals.at[i].size);
	t->state = THREAD_DONE;
	m->nlive--;
	vec_release(&t->frames);
	vec_release(&t->vars);
	free(t->slots);
	free(t->shadow);
	free(t->terms);
	t->slots = t->shadow = NULL;
	t->terms = NULL;
	t->cap = 0;
}

void thread_free(struct machine *m, struct thread *t)
{
	(void)m;
	vec_release(&t->frames);
	vec_release(&t->vars);
	free(t->slots);
	free(t->shadow);
	free(t->terms);
	free(t);
}

/* ---- the wait queue -------------------------------------------------------------------------- */

/* The time stamp of a thread that was waiting in the initial state: a negative symbol, because the
 * order of such threads is not known. */
static term_t initial_stamp(struct machine *m, const struct thread *t)
{
	struct terms *ts = m->ts;
	char name[32];
	term_t s;

	snprintf(name, sizeof name, "waits since T%u", t->id);
	s = term_sym(ts, name, 64);
	path_assume(m, term_slt(ts, s, term_const(ts, 64, 0)));
	vec_each (&m->queue, i)
		if (m->queue.at[i].stamp.id) /* time stamps are distinct */
			path_assume(m, term_ne(ts, s, m->queue.at[i].stamp));
	return s;
}

void sched_wait(struct machine *m, struct thread *t, struct opnd addr, const char *why,
	uint64_t deadline)
{
	term_t stamp = t->waits_first ? initial_stamp(m, t) : TERM_NONE;

	BUG_ON(t->state != THREAD_READY); /* it would be in the queue twice */
	t->state = THREAD_WAITING;
	t->at_condition = false;
	t->wait_on = addr.t.id ? opnd_base(m, addr) : addr.v.lo;
	t->why = why;
	t->deadline = deadline;
	t->notified = false;
	vec_push(&m->queue, (struct waiter){.addr = addr.v.lo, .thread = t->id, .term = addr.t,
				    .stamp = stamp});
	t->waits_first = false;
}

static void queue_remove(struct machine *m, uint32_t i)
{
	BUG_ON(i >= m->queue.n);
	m->queue.n--;
	for (; i < m->queue.n; i++)
		m->queue.at[i] = m->queue.at[i + 1];
}

static void wake_thread(struct thread *t, bool notified)
{
	t->state = THREAD_READY;
	t->notified = notified;
	t->resumed = true;
	t->deadline = 0;
}

static void wake_entry(struct machine *m, uint32_t i)
{
	wake_thread(m->threads.at[m->queue.at[i].thread], true);
	queue_remove(m, i);
}

/* ---- offers (see the head of this file) ------------------------------------------------------ */

static bool is_offer(const struct waiter *w)
{
	return w->thread == WAITER_OFFER;
}

static bool is_at(const struct waiter *w, uint64_t addr)
{
	return !w->term.id && w->addr == addr;
}

/* The index of the first offer that the waiter at index i may take; IR_NONE if there is none. */
static uint32_t find_offer(const struct machine *m, uint32_t i)
{
	const struct waiter *w = &m->queue.at[i];

	for (uint32_t k = i + 1; k < m->queue.n && !w->term.id; k++)
		if (is_offer(&m->queue.at[k]) && m->queue.at[k].addr == w->addr)
			return k;
	return IR_NONE;
}

/* Removes the entries of the address up to the index `end`; makes their threads ready. */
static void wake_up_to(struct machine *m, uint64_t addr, uint32_t end)
{
	for (uint32_t i = end + 1; i-- > 0;) {
		if (!is_at(&m->queue.at[i], addr))
			continue;
		if (is_offer(&m->queue.at[i]))
			queue_remove(m, i);
		else
			wake_entry(m, i);
	}
}

/* Wakes the waiters that are surely notified: as many as there are offers after them. */
static void settle_offers(struct machine *m, uint64_t addr)
{
	uint32_t waiters = 0, offers = 0;

	for (uint32_t i = 0; i < m->queue.n; i++) {
		if (!is_at(&m->queue.at[i], addr))
			continue;
		if (!is_offer(&m->queue.at[i])) {
			waiters++;
		} else if (++offers >= waiters) {
			wake_up_to(m, addr, i);
			settle_offers(m, addr);
			return;
		}
	}
}

/* Notifies one waiter at the address, which is known as those of all waiters are; returns how many
 * there are to notify, 0 or 1. */
static uint32_t notify_any(struct machine *m, uint64_t addr)
{
	uint32_t n = 0, k;

	vec_each (&m->queue, i)
		n += is_at(&m->queue.at[i], addr) && !is_offer(&m->queue.at[i]);
	if (!n)
		return 0;
	if (m->opt->pick) {
		vec_push(&m->queue, (struct waiter){.addr = addr, .thread = WAITER_OFFER});
		settle_offers(m, addr);
		return 1;
	}
	k = m->opt->seed && n > 1 ? (uint32_t)(sched_random(m) % n) : 0;
	vec_each (&m->queue, i)
		if (is_at(&m->queue.at[i], addr) && !k--) {
			wake_entry(m, i);
			break;
		}
	return 1;
}

/* ---- notifications --------------------------------------------------------------------------- */

/* the condition that the waiter's address is the notified one */
static term_t same_queue(struct machine *m, const struct waiter *w, struct opnd addr)
{
	struct opnd a = {.v = {w->addr, 0}, .t = w->term};

	return term_eq(m->ts, opnd_term(m, a, 64), opnd_term(m, addr, 64));
}

/* the condition that waiter i waits at the address, and longest of all initial waiters at it */
static term_t first_of_initial(struct machine *m, uint32_t i, struct opnd addr)
{
	struct terms *ts = m->ts;
	term_t c = same_queue(m, &m->queue.at[i], addr);

	vec_each (&m->queue, k)
		if (k != i && m->queue.at[k].stamp.id)
			c = term_and(ts, c, term_implies(ts, same_queue(m, &m->queue.at[k], addr),
						 term_slt(ts, m->queue.at[i].stamp,
							 m->queue.at[k].stamp)));
	return c;
}

/* Adds the waiters to wake to `who`. Decisions may fork, so they come before any effect. */
static enum step choose_waiters(struct machine *m, struct thread *t, struct opnd addr, bool all,
	struct bitset *who)
{
	vec_each (&m->queue, i) {
		const struct waiter *w = &m->queue.at[i];
		bool is = !w->term.id && !addr.t.id && w->addr == addr.v.lo;

		if (is_offer(w))
			continue;
		bool asks = w->term.id || addr.t.id || (is && !all && w->stamp.id);

		if (asks && path_decide(m, t, !all && w->stamp.id ? first_of_initial(m, i, addr)
								 : same_queue(m, w, addr), &is))
			return STEP_STOP;
		if (is)
			bitset_add(who, i);
		if (is && !all)
			break;
	}
	return STEP_NEXT;
}

/* Whether the address and those of all waiters are numbers. */
static bool addresses_known(const struct machine *m, struct opnd addr)
{
	if (addr.t.id)
		return false;
	vec_each (&m->queue, i)
		if (m->queue.at[i].term.id)
			return false;
	return true;
}

/* Some addresses are terms: decides which waiters wait at this one. */
static enum step notify_by_terms(struct machine *m, struct thread *t, struct opnd addr, bool all,
	uint32_t *woken)
{
	struct bitset who = {0};
	enum step st = choose_waiters(m, t, addr, all, &who);

	for (uint32_t i = m->queue.n; st == STEP_NEXT && i-- > 0;)
		if (bitset_has(&who, i)) {
			wake_entry(m, i);
			(*woken)++;
		}
	bitset_release(&who);
	return st;
}

static uint32_t notify_every(struct machine *m, uint64_t addr)
{
	uint32_t n = 0;

	vec_each (&m->queue, i)
		n += is_at(&m->queue.at[i], addr) ? is_offer(&m->queue.at[i]) ? -1u : 1 : 0;
	if (m->queue.n)
		wake_up_to(m, addr, m->queue.n - 1);
	return n;
}

enum step sched_notify(struct machine *m, struct thread *t, struct opnd addr, bool all,
	uint32_t *woken)
{
	*woken = 0;
	if (!addresses_known(m, addr))
		return notify_by_terms(m, t, addr, all, woken);
	*woken = all ? notify_every(m, addr.v.lo) : notify_any(m, addr.v.lo);
	return STEP_NEXT;
}

void sched_notify_own(struct machine *m, uint64_t addr)
{
	notify_every(m, addr);
}

/* ---- time and input -------------------------------------------------------------------------- */

/* The index of the thread's entry in the queue. */
static uint32_t find_entry(const struct machine *m, const struct thread *t)
{
	vec_each (&m->queue, i)
		if (m->queue.at[i].thread == t->id)
			return i;
	BUG("thread %u waits in no queue", t->id);
}

static void leave_queue(struct machine *m, struct thread *t, bool notified)
{
	uint32_t i = find_entry(m, t);
	struct waiter w = m->queue.at[i];

	queue_remove(m, i);
	wake_thread(t, notified);
	if (!w.term.id)
		settle_offers(m, w.addr);
}

bool sched_wake(struct machine *m, struct thread *t)
{
	if (t->state != THREAD_WAITING)
		return false;
	leave_queue(m, t, true);
	return true;
}

/* the waiting thread with the earliest deadline, or NULL */
static struct thread *next_sleeper(struct machine *m)
{
	struct thread *first = NULL;

	vec_each (&m->threads, i) {
		struct thread *t = m->threads.at[i];

		if (t->state == THREAD_WAITING && t->deadline &&
			(!first || t->deadline < first->deadline))
			first = t;
	}
	return first;
}

/* Polls the descriptors that threads wait for, up to timeout_ms (-1: no limit). Makes threads with
 * input ready; true if there was one. */
static bool poll_threads(struct machine *m, int timeout_ms)
{
	VEC(struct pollfd) fds = {0};
	VEC(struct thread *) who = {0};
	bool any = false;

	vec_each (&m->threads, i) {
		struct thread *t = m->threads.at[i];

		if (t->state != THREAD_POLLING)
			continue;
		vec_push(&fds, (struct pollfd){t->poll_fd, t->poll_events, 0});
		vec_push(&who, t);
	}
	if (fds.n && poll(fds.at, fds.n, timeout_ms) > 0)
		vec_each (&fds, i)
			if (fds.at[i].revents) {
				who.at[i]->state = THREAD_READY;
				any = true;
			}
	vec_release(&fds);
	vec_release(&who);
	return any;
}

static uint32_t count_threads(const struct machine *m, enum thread_state s)
{
	uint32_t n = 0;

	vec_each (&m->threads, i)
		n += m->threads.at[i]->state == s;
	return n;
}

/* Makes a thread ready by time or by input; false if that is not possible. */
static bool awaken_sleeper(struct machine *m)
{
	struct thread *sleeper = next_sleeper(m);
	bool polling = count_threads(m, THREAD_POLLING) > 0;
	uint64_t now = sched_now(m, CLOCK_MONOTONIC);
	uint64_t left = sleeper && sleeper->deadline > now ? sleeper->deadline - now : 0;

	if (polling && poll_threads(m, sleeper ? (int)MIN(left / 1000000, 60000ull) : -1))
		return true;
	if (!sleeper)
		return polling;
	m->skipped_ns += left;
	leave_queue(m, sleeper, false);
	return true;
}

/* Whether the wait of the thread may end without a notification. */
static bool may_wake_spuriously(const struct machine *m, const struct thread *t)
{
	return m->opt->spurious && t->state == THREAD_WAITING && !t->deadline && t->at_condition;
}

/* Whether the wait of the thread ends if exec_options.pick chooses it: it has a deadline, which may
 * be over at any moment, or it is one of the threads of which a notification wakes one. */
static bool may_end_wait(const struct machine *m, const struct thread *t)
{
	return t->state == THREAD_WAITING &&
	       (t->deadline || find_offer(m, find_entry(m, t)) != IR_NONE);
}

struct thread *sched_start(struct machine *m, uint32_t id)
{
	struct thread *t = m->threads.at[id];
	uint64_t now = sched_now(m, CLOCK_MONOTONIC);
	uint32_t offer;

	m->current = id;
	if (t->state != THREAD_WAITING)
		return t;
	offer = find_offer(m, find_entry(m, t));
	if (offer != IR_NONE) {
		queue_remove(m, offer);
		leave_queue(m, t, true);
		return t;
	}
	BUG_ON(!t->deadline && !may_wake_spuriously(m, t));
	m->skipped_ns += t->deadline > now ? t->deadline - now : 0;
	leave_queue(m, t, false);
	return t;
}

/* ---- choice ---------------------------------------------------------------------------------- */

static int64_t next_slice(struct machine *m)
{
	if (!m->opt->seed)
		return SLICE_SEED0;
	return SLICE_MIN + (int64_t)(sched_random(m) % SLICE_SPAN);
}

bool sched_yields(struct machine *m)
{
	if (m->opt->pick) /* the last thread too: it may wait for others that have ended */
		return m->threads.n > 1;
	if (m->nlive < 2)
		return false;
	if (!m->opt->seed)
		return false;
	return sched_random(m) % (m->opt->switches == EXEC_SWITCH_ACCESS ? 4 : 2) == 0;
}

/* Whether exec_options.pick may choose the thread. */
static bool is_choice(const struct machine *m, const struct thread *t)
{
	return t->state == THREAD_READY || (m->opt->pick && may_end_wait(m, t));
}

/* The same beside other choices: a spurious wake-up does not save threads from a deadlock. */
static bool is_choice_beside(const struct machine *m, const struct thread *t)
{
	return is_choice(m, t) || may_wake_spuriously(m, t);
}

/* Lets exec_options.pick choose. The end of a slice is no choice, so it ends no wait. */
static struct thread *ask_pick(struct machine *m, struct thread *current, bool must_switch)
{
	enum exec_pick why = EXEC_PICK_POINT;
	uint32_t ready[64], n = 0;

	if (!current || current->state != THREAD_READY)
		why = EXEC_PICK_BLOCKED;
	else if (!must_switch && m->fuel < 0)
		why = EXEC_PICK_SLICE;
	vec_each (&m->threads, i)
		if (why == EXEC_PICK_SLICE ? m->threads.at[i]->state == THREAD_READY
					   : is_choice_beside(m, m->threads.at[i])) {
			if (n < ARRAY_SIZE(ready))
				ready[n++] = i;
			else if (m->sym && !m->symbolic_ops->is_incomplete(m))
				m->symbolic_ops->incomplete(m, m->threads.at[i],
					"more than 64 threads can run: only 64 are considered");
		}
	return sched_start(m, m->opt->pick(m->opt->pick_ctx, m, ready, n, why));
}

static struct thread *choose_thread(struct machine *m, struct thread *current, bool must_switch,
	uint32_t nready)
{
	bool skip = must_switch && current && current->state == THREAD_READY && nready > 1;
	uint32_t n = m->threads.n, from, k;

	if (m->opt->seed) {
		k = (uint32_t)(sched_random(m) % (nready - skip));
		from = 0;
	} else {
		k = 0;
		from = current ? current->id + 1 : 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct thread *t = m->threads.at[(from + i) % n];

		if (t->state != THREAD_READY || (skip && t == current))
			continue;
		if (!k--)
			return t;
	}
	BUG("no ready thread");
}

static uint32_t count_choices(const struct machine *m)
{
	uint32_t n = 0;

	vec_each (&m->threads, i)
		n += is_choice(m, m->threads.at[i]);
	return n;
}

/* A thread that waits for a signal, or NULL: another process may send it, so the wait may end. */
static struct thread *waits_for_signal(const struct machine *m)
{
	static const char *const waits[] = {"pause", "sigsuspend", "sigwait", "sigwaitinfo"};

	vec_each (&m->threads, i)
		for (size_t k = 0; k < ARRAY_SIZE(waits); k++)
			if (m->threads.at[i]->state == THREAD_WAITING &&
				!strcmp(m->threads.at[i]->why, waits[k]))
				return m->threads.at[i];
	return NULL;
}

/* No thread can run, and none will be able to by time or input. */
static void stop_stuck(struct machine *m)
{
	struct thread *t = waits_for_signal(m);

	if (count_threads(m, THREAD_LEFT)) /* such a thread could wake the others */
		stop_unknown(m, m->threads.at[0], STOP_RETURNED,
			"no thread is left in the functions of --from");
	else if (t)
		stop_unknown(m, t, STOP_UNMODELLED,
			"a thread waits for a signal, and no thread is left that could send it");
	else
		fault_deadlock(m);
}

struct thread *sched_pick(struct machine *m, struct thread *current, bool must_switch)
{
	struct thread *t, *sleeper;
	uint32_t nready;

	if (m->opt->max_instructions && m->instructions >= m->opt->max_instructions) {
		stop_unknown(m, current, STOP_BUDGET, "the limit of %llu instructions was reached",
			(unsigned long long)m->opt->max_instructions);
		return NULL;
	}
	while (!m->opt->pick && (sleeper = next_sleeper(m)) &&
		sleeper->deadline <= sched_now(m, CLOCK_MONOTONIC))
		leave_queue(m, sleeper, false);
	if (count_threads(m, THREAD_POLLING))
		poll_threads(m, 0);
	while (!(nready = count_choices(m)))
		if (!awaken_sleeper(m)) {
			stop_stuck(m);
			return NULL;
		}
	t = m->opt->pick ? ask_pick(m, current, must_switch)
			 : choose_thread(m, current, must_switch, nready);
	BUG_ON(t->state != THREAD_READY);
	m->res->switches += t != current;
	m->current = t->id;
	m->fuel = next_slice(m);
	return t;
}
