#include "shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

enum { STACK = 64 << 10, MOST_THREADS = 512, MOST_STEPS = 2000000 };
enum state { READY, BLOCKED, DONE };

struct coroutine {
	ucontext_t context;
	enum state state;
	void *queue;
	uint64_t order; /* of arrival on the queue */
	bool timed, notified;
	uint64_t deadline;
	void (*start)(void *);
	void *arg;
};

static struct {
	ucontext_t scheduler;
	struct coroutine *threads[MOST_THREADS];
	unsigned n, current;
	uint64_t random, now, arrivals, steps;
	void (*scenario)(void);
	enum outcome outcome;
	bool over;
} shim;

static uint64_t next_random(void)
{
	uint64_t x = shim.random += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

bool chance(unsigned n)
{
	return next_random() % n == 0;
}

/* ---- the scheduler ------------------------------------------------------------------------ */

static void to_scheduler(void)
{
	struct coroutine *c = shim.threads[shim.current];

	swapcontext(&c->context, &shim.scheduler);
}

static _Noreturn void finish(enum outcome outcome)
{
	shim.outcome = outcome;
	shim.over = true;
	to_scheduler();
	abort();
}

static void coroutine_main(unsigned i)
{
	shim.threads[i]->start(shim.threads[i]->arg);
	abort(); /* a thread of the models ends by __heddle_thread_exit */
}

static unsigned coroutine_add(void (*start)(void *), void *arg)
{
	struct coroutine *c = calloc(1, sizeof(*c));

	if (shim.n == MOST_THREADS || !c)
		abort();
	getcontext(&c->context);
	c->context.uc_stack.ss_sp = malloc(STACK);
	c->context.uc_stack.ss_size = STACK;
	c->start = start;
	c->arg = arg;
	makecontext(&c->context, (void (*)(void))coroutine_main, 1, shim.n);
	shim.threads[shim.n] = c;
	return shim.n++;
}

static void wake(struct coroutine *c, bool notified)
{
	c->state = READY;
	c->notified = notified;
}

/* Time-outs that are due; when nobody can run, the next one comes at once. */
static void time_passes(bool idle)
{
	uint64_t next = UINT64_MAX;

	shim.now += 1000;
	for (unsigned i = 0; i < shim.n; i++) {
		struct coroutine *c = shim.threads[i];
		if (c->state == BLOCKED && c->timed && c->deadline < next)
			next = c->deadline;
	}
	if (idle && next != UINT64_MAX && next > shim.now)
		shim.now = next;
	for (unsigned i = 0; i < shim.n; i++) {
		struct coroutine *c = shim.threads[i];
		if (c->state == BLOCKED && c->timed && c->deadline <= shim.now)
			wake(c, false);
	}
}

static int pick(void)
{
	unsigned ready[MOST_THREADS], n = 0;

	for (unsigned i = 0; i < shim.n; i++)
		if (shim.threads[i]->state == READY)
			ready[n++] = i;
	return n ? (int)ready[next_random() % n] : -1;
}

static void main_start(void *arg)
{
	(void)arg;
	shim.scenario();
	finish(OUTCOME_RETURN);
}

enum outcome shim_run(void (*scenario)(void), uint64_t seed)
{
	shim.random = seed;
	shim.now = 1000000000;
	shim.scenario = scenario;
	coroutine_add(main_start, NULL);
	while (!shim.over) {
		int i = pick();

		time_passes(i < 0);
		if (i < 0 && (i = pick()) < 0)
			return OUTCOME_DEADLOCK;
		if (++shim.steps > MOST_STEPS)
			return OUTCOME_BROKEN;
		shim.current = (unsigned)i;
		swapcontext(&shim.scheduler, &shim.threads[i]->context);
	}
	return shim.outcome;
}

void shim_broken(const char *file, int line, const char *what)
{
	fprintf(stderr, "# %s:%d: thread %u: not so: %s\n", file, line, shim.current, what);
	finish(OUTCOME_BROKEN);
}

void step(void)
{
	to_scheduler();
}

/* ---- heddle_model.h ----------------------------------------------------------------------- */

bool __heddle_sync(const char *kind, void *object)
{
	(void)kind, (void)object;
	to_scheduler();
	return false;
}

bool __heddle_wait_until(void *q, const char *why, uint64_t deadline_ns)
{
	struct coroutine *c = shim.threads[shim.current];

	(void)why;
	if (deadline_ns <= shim.now)
		return false;
	c->state = BLOCKED;
	c->queue = q;
	c->order = shim.arrivals++;
	c->timed = deadline_ns != UINT64_MAX;
	c->deadline = deadline_ns;
	to_scheduler();
	return c->notified;
}

void __heddle_wait(void *q, const char *why)
{
	__heddle_wait_until(q, why, UINT64_MAX);
}

bool __heddle_wait_condition(void *q, const char *why)
{
	__heddle_wait(q, why);
	return true;
}

bool __heddle_has_world(void)
{
	return false;
}

bool __heddle_writes_outside(int fd)
{
	return fd == 1 || fd == 2;
}

void __heddle_order(const void *state, bool changes)
{
	(void)state, (void)changes;
}

unsigned __heddle_notify_one(void *q)
{
	struct coroutine *first = NULL;

	for (unsigned i = 0; i < shim.n; i++) {
		struct coroutine *c = shim.threads[i];
		if (c->state == BLOCKED && c->queue == q && (!first || c->order < first->order))
			first = c;
	}
	if (first)
		wake(first, true);
	return first != NULL;
}

unsigned __heddle_notify_all(void *q)
{
	unsigned n = 0;

	while (__heddle_notify_one(q))
		n++;
	return n;
}

bool __heddle_notify_thread(unsigned thread)
{
	struct coroutine *c = shim.threads[thread];

	if (c->state != BLOCKED)
		return false;
	wake(c, true);
	return true;
}

uint64_t __heddle_now(int clock)
{
	return clock == CLOCK_REALTIME ? shim.now + 1700000000000000000 : shim.now;
}

unsigned __heddle_thread_create(void (*start)(void *), void *arg)
{
	return coroutine_add(start, arg);
}

unsigned __heddle_thread_self(void)
{
	return shim.current;
}

_Noreturn void __heddle_thread_exit(void)
{
	shim.threads[shim.current]->state = DONE;
	to_scheduler();
	abort();
}

_Noreturn void __heddle_fault(enum heddle_fault kind, const char *message, void *object)
{
	(void)message, (void)object;
	finish(OUTCOME_FAULT + kind);
}

_Noreturn void __heddle_exit(int status)
{
	finish(status ? OUTCOME_BROKEN : OUTCOME_RETURN);
}

_Noreturn void model_exit(int status); /* exit(), called for the last thread */
_Noreturn void model_exit(int status)
{
	__heddle_exit(status);
}

_Noreturn void __heddle_unmodelled(const char *what)
{
	(void)what;
	finish(OUTCOME_UNMODELLED);
}

void *__heddle_alloc(size_t size, size_t align, bool zero)
{
	(void)align; /* malloc's is enough for what the thread models ask for */
	return zero ? calloc(1, size) : malloc(size);
}

void __heddle_free(void *p)
{
	free(p);
}

char **__heddle_argv(int *argc)
{
	static char *argv[] = {"/usr/bin/scenario", NULL};

	*argc = 1;
	return argv;
}

/* ---- what the thread models use of the other models ---------------------------------------- */

#include "models/model_signal.h"
#include <string.h>

int __m_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	(void)how, (void)set;
	if (old)
		memset(old, 0, sizeof(*old));
	return 0;
}

void __m_signal_raise(int sig)
{
	(void)sig;
	finish(FAULT(FATAL_SIGNAL));
}

void __call_tls_dtors(void)
{
}
