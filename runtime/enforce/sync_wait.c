/*
 * Condition variables, barriers, semaphores and once under a schedule. Condition variables and
 * barriers are modelled here; those of the library are not used. A signal is a *grant* for the
 * threads that wait at that time. The first of them that passes its point takes the oldest grant
 * that it may have.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include "runtime/enforce/spin.h"
#include "runtime/enforce/sync_wrappers.h"
#include "runtime/sync_records.h"

/* ---- grants ------------------------------------------------------------------------------- */

enum { MAX_GRANTS = 1 << 12 };
static struct grant { /* in the order of the signals */
	const volatile void *cond;
	uint64_t seq;
} grants[MAX_GRANTS];
static uint32_t ngrants;

static struct grant *grant_for(const struct controlled *t)
{
	for (uint32_t i = 0; i < ngrants; i++)
		if (grants[i].cond == t->object && grants[i].seq > t->wait_seq)
			return &grants[i];
	return NULL;
}

bool cond_woken(const struct controlled *t)
{
	return t->granted || grant_for(t);
}

static bool waits_at(const struct controlled *t, const volatile void *cond, uint64_t before)
{
	return t->in_wait && t->object == cond && t->wait_seq < before;
}

static bool has_waiter(const volatile void *cond, uint64_t before)
{
	for (const struct controlled *t = control.alive; t; t = t->next)
		if (waits_at(t, cond, before))
			return true;
	return false;
}

static void grant_remove(struct grant *g)
{
	for (ngrants--; g < grants + ngrants; g++)
		g[0] = g[1];
}

/* The thread waits no more; removes grants that no waiting thread may take. */
static void wait_ends(struct controlled *t)
{
	struct grant *g = grant_for(t);
	if (g)
		grant_remove(g);
	t->in_wait = t->granted = false;
	for (uint32_t i = ngrants; i--;)
		if (!has_waiter(grants[i].cond, grants[i].seq))
			grant_remove(&grants[i]);
}

static void grant_all(const volatile void *cond)
{
	for (struct controlled *t = control.alive; t; t = t->next)
		if (waits_at(t, cond, UINT64_MAX))
			t->granted = true;
}

static void grant_one(const volatile void *cond)
{
	uint64_t seq = ++control.wait_seq;
	if (ngrants == MAX_GRANTS)
		grant_all(cond);
	else if (has_waiter(cond, seq))
		grants[ngrants++] = (struct grant){cond, seq};
}

/* ---- condition variables ------------------------------------------------------------------ */

static bool woken_ready(struct controlled *t)
{
	return (cond_woken(t) || t->late || t->cancelled) && mutex_is_free(t->mutex);
}

static void wait_begins(void *cond, void *mutex)
{
	me->object = cond;
	me->mutex = mutex;
	me->granted = me->late = false;
	me->wait_seq = ++control.wait_seq;
	me->in_wait = true;
	held_give(mutex);
	pthread_mutex_unlock(mutex);
}

/* The thread was cancelled while it waited; it holds the mutex, as in the library. Returns if
 * cancellation is disabled. */
static void wait_cancelled(void *mutex)
{
	struct controlled *t = me;
	t->cancelled = false;
	t->in_wait = false;
	pthread_testcancel();
	t->in_wait = true;
	held_give(mutex);
	pthread_mutex_unlock(mutex);
}

/* Waits until the thread was woken or its time is over, and it holds the mutex again. */
static int wait_for_wake(void *cond, void *mutex, uint64_t deadline)
{
	struct controlled *t = me;
	for (;;) {
		bool may = cond_woken(t) || t->late || t->cancelled;
		if (may && pthread_mutex_trylock(mutex) != EBUSY) {
			held_take(mutex, false);
			if (cond_woken(t) || t->late)
				break;
			wait_cancelled(mutex);
		}
		/* after its time is over, it waits only for the mutex */
		if (!wait_until(
			    LOG_S_COND_WOKEN, cond, woken_ready, t->late ? NO_DEADLINE : deadline))
			t->late = true;
	}
	int r = cond_woken(t) ? 0 : ETIMEDOUT;
	wait_ends(t);
	return r;
}

static int cond_wait_controlled(
	struct log_ctl *ctl, void *cond, void *mutex, uint64_t deadline, int (*result)(int))
{
	if (deadline == BAD_DEADLINE) {
		enforce_point(LOG_S_COND_WAIT, cond);
		put_cond_wait(ctl, cond, mutex);
		enforce_point(LOG_S_COND_WOKEN, cond);
		put_cond_woken(ctl, EINVAL, cond, mutex);
		return EINVAL;
	}
	arrive(LOG_S_COND_WAIT, cond);
	check_destroyed(cond);
	put_cond_wait(ctl, cond, mutex);
	me->failed = deadline != NO_DEADLINE; /* known when it is over; a wake-up is a change */
	passed();
	pthread_testcancel();
	wait_begins(cond, mutex);
	arrive(LOG_S_COND_WOKEN, cond);
	int r = wait_for_wake(cond, mutex, deadline);
	me->failed = r != 0;
	passed();
	r = result ? result(r) : r;
	put_cond_woken(ctl, r, cond, mutex);
	return r;
}

#define WAIT(NAME, P, A, C, M, DEADLINE, RESULT)                                                   \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		if (in_control())                                                                  \
			return cond_wait_controlled(ctl, C, M, DEADLINE, RESULT);                  \
		enforce_point(LOG_S_COND_WAIT, C);                                                 \
		put_cond_wait(ctl, C, M);                                                          \
		int r = NAME A;                                                                    \
		enforce_point(LOG_S_COND_WOKEN, C);                                                \
		put_cond_woken(ctl, r, C, M);                                                      \
		return r;                                                                          \
	}

static int c11_result(int r)
{
	return r == ETIMEDOUT ? thrd_timedout : r ? thrd_error : thrd_success;
}

/* The clock of a condition variable is a bit in its word. */
static int clock_of(const pthread_cond_t *c)
{
	return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

WAIT(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m), c, m, NO_DEADLINE, NULL)
WAIT(pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *t),
	(c, m, t), c, m, deadline_of(clock_of(c), t), NULL)
WAIT(pthread_cond_clockwait,
	(pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t),
	(c, m, clock, t), c, m, deadline_of(clock, t), NULL)
WAIT(cnd_wait, (cnd_t * c, mtx_t *m), (c, m), c, m, NO_DEADLINE, c11_result)
WAIT(cnd_timedwait, (cnd_t * c, mtx_t *m, const struct timespec *t), (c, m, t), c, m,
	deadline_of(CLOCK_REALTIME, t), c11_result)

#define WAKE(NAME, KIND, TYPE, GRANT)                                                              \
	WRAP(int, NAME)(TYPE * c)                                                                  \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME(c);                                                            \
		arrive(LOG_S_##KIND, c);                                                           \
		check_destroyed(c);                                                                \
		uint32_t seq = seq_of(c);                                                          \
		int r = NAME(c); /* for threads that wait in native code */                        \
		if (in_control())                                                                  \
			GRANT(c);                                                                  \
		passed();                                                                          \
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_##KIND,                       \
					   .result = r,                                            \
					   .flags = LOG_F_EXTRA,                                   \
					   .seq = seq,                                             \
					   .seq2 = seq_of(c)});                                    \
		return r;                                                                          \
	}

WAKE(pthread_cond_signal, COND_SIGNAL, pthread_cond_t, grant_one)
WAKE(pthread_cond_broadcast, COND_BROADCAST, pthread_cond_t, grant_all)
WAKE(cnd_signal, COND_SIGNAL, cnd_t, grant_one)
WAKE(cnd_broadcast, COND_BROADCAST, cnd_t, grant_all)

static void cond_check_destroy(void *c)
{
	check_destroyed(c);
	for (const struct controlled *t = control.alive; t; t = t->next)
		if (t->in_wait && t->object == c && !cond_woken(t))
			misuse(SCHED_DESTROY_WAITED, c);
}

CHECKED_RELEASE(pthread_cond_destroy, COND_DESTROY, (pthread_cond_t * c), (c), c,
	cond_check_destroy(c), mark_destroyed(c))
RELEASE_VOID(cnd_destroy, COND_DESTROY, (cnd_t * c), (c), c,
	(arrive(LOG_S_COND_DESTROY, c), cond_check_destroy(c)), (mark_destroyed(c), passed()))

/* ---- barriers ----------------------------------------------------------------------------- */

enum { MAX_BARRIERS = 1 << 12 };
static struct barrier {
	const volatile void *object;
	uint32_t count, arrived;
	uint64_t generation;
} barriers[MAX_BARRIERS];
static uint32_t nbarriers;

static struct barrier *barrier_find(const volatile void *object)
{
	for (uint32_t i = 0; i < nbarriers; i++)
		if (barriers[i].object == object)
			return &barriers[i];
	return NULL;
}

static void barrier_made(const void *object, unsigned count, int r)
{
	struct barrier *b = barrier_find(object);
	if (r || !control.on)
		return;
	if (!b && nbarriers < MAX_BARRIERS)
		b = &barriers[nbarriers++];
	if (b)
		*b = (struct barrier){object, count, 0, b->generation + 1};
}

static void barrier_check_destroy(void *object)
{
	check_destroyed(object);
	struct barrier *b = barrier_find(object);
	if (b && b->arrived)
		misuse(SCHED_DESTROY_WAITED, object);
	if (b)
		*b = barriers[--nbarriers];
}

ACQUIRE_EXTRA(pthread_barrier_init, BARRIER_INIT,
	(pthread_barrier_t * b, const pthread_barrierattr_t *a, unsigned count), (b, a, count), b,
	arrive(LOG_S_BARRIER_INIT, b), (barrier_made(b, count, r), passed()), count)
CHECKED_RELEASE(pthread_barrier_destroy, BARRIER_DESTROY, (pthread_barrier_t * b), (b), b,
	barrier_check_destroy(b), mark_destroyed(b))

static bool barrier_ready(struct controlled *t)
{
	const struct barrier *b = barrier_find(t->object);
	return !b || b->generation != t->generation;
}

WRAP(int, pthread_barrier_wait)(pthread_barrier_t *object)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_barrier_wait(object);
	arrive(LOG_S_BARRIER_ENTER, object);
	check_destroyed(object);
	struct barrier *b = in_control() ? barrier_find(object) : NULL;
	put_sync_more(ctl,
		&(struct sync_more){
			.kind = LOG_S_BARRIER_ENTER, .flags = LOG_F_MORE, .seq = seq_of(object)});
	passed();
	int r = 0;
	if (!b) {
		ctl->native = 1;
		r = pthread_barrier_wait(object);
		ctl->native = 0;
		arrive(LOG_S_BARRIER_LEAVE, object);
	} else {
		me->generation = b->generation;
		if (++b->arrived == b->count) {
			b->arrived = 0;
			b->generation++;
			r = PTHREAD_BARRIER_SERIAL_THREAD;
		}
		arrive(LOG_S_BARRIER_LEAVE, object);
		me->object = object;
		while (!barrier_ready(me))
			wait_until(LOG_S_BARRIER_LEAVE, object, barrier_ready, NO_DEADLINE);
	}
	passed();
	put_sync(ctl, LOG_S_BARRIER_LEAVE, r, seq_of(object));
	return r;
}

/* ---- semaphores --------------------------------------------------------------------------- */

static bool sem_has(const volatile void *s)
{
	int value = 0;
	return !sem_getvalue((sem_t *)s, &value) && value > 0;
}

static bool sem_ready(struct controlled *t)
{
	return t->cancelled || sem_has(t->object);
}

/* 0, or -1 and errno. */
static int sem_take(struct log_ctl *ctl, sem_t *s, uint64_t deadline)
{
	int saved = errno;
	bool waited = false;
	for (;;) {
		me->cancelled = false;
		pthread_testcancel();
		if (!sem_trywait(s)) {
			errno = saved;
			return 0;
		}
		if (errno != EAGAIN)
			return -1;
		if (deadline == BAD_DEADLINE) {
			errno = EINVAL;
			return -1;
		}
		if (!waited)
			put_blocked(ctl);
		waited = true;
		if (!wait_until(LOG_S_SEM_WAIT, s, sem_ready, deadline)) {
			errno = ETIMEDOUT;
			return -1;
		}
	}
}

#define SEM_WAIT(NAME, P, A, DEADLINE)                                                             \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		arrive(LOG_S_SEM_WAIT, s);                                                         \
		check_destroyed(s);                                                                \
		ctl->native = 1;                                                                   \
		int r = in_control() ? sem_take(ctl, s, DEADLINE) : NAME A;                        \
		me->failed = r != 0;                                                               \
		passed();                                                                          \
		put_sync(ctl, LOG_S_SEM_WAIT, r, seq_of(s));                                       \
		ctl->native = 0;                                                                   \
		return r;                                                                          \
	}

SEM_WAIT(sem_wait, (sem_t * s), (s), NO_DEADLINE)
SEM_WAIT(sem_timedwait, (sem_t * s, const struct timespec *t), (s, t),
	deadline_of(CLOCK_REALTIME, t))
SEM_WAIT(sem_clockwait, (sem_t * s, clockid_t clock, const struct timespec *t), (s, clock, t),
	deadline_of(clock, t))

static void sem_check_destroy(sem_t *s)
{
	check_destroyed(s);
	if (waited_for(s))
		misuse(SCHED_DESTROY_WAITED, s);
}

CHECKED_RELEASE(sem_destroy, SEM_DESTROY, (sem_t * s), (s), s, sem_check_destroy(s),
	mark_destroyed(s))
CHECKED_RELEASE(sem_post, SEM_POST, (sem_t * s), (s), s, check_destroyed(s), (void)0)
SPIN_TRY(sem_trywait, (sem_t * s));
ACQUIRE_WITH(sem_trywait, SEM_TRYWAIT, (sem_t * s), (s), s,
	(spin_tries(me), arrive(LOG_S_SEM_TRYWAIT, s), check_destroyed(s)), (me->failed = r != 0, passed()))

/* ---- once --------------------------------------------------------------------------------- */

static __thread void (*once_routine)(void) __attribute__((tls_model("initial-exec")));
static __thread const void *once_object __attribute__((tls_model("initial-exec")));
static __thread bool once_ran __attribute__((tls_model("initial-exec")));

static void run_once(void)
{
	const void *object = once_object;
	held_take(object, false);
	once_routine();
	held_give(object);
	once_ran = true;
}

static bool once_ready(struct controlled *t)
{
	return !held_by(t->object, t);
}

static void once_begins(struct log_ctl *ctl, const void *object, void (*routine)(void))
{
	arrive(LOG_S_ONCE_BEGIN, object);
	if (in_control()) {
		me->object = object;
		while (!once_ready(me))
			wait_until(LOG_S_ONCE, object, once_ready, NO_DEADLINE);
	}
	passed();
	put_once_begin(ctl);
	once_object = object;
	once_routine = routine;
	once_ran = false;
}

static void once_ends(struct log_ctl *ctl, int result, const void *object)
{
	bool ran = once_ran;
	once_ran = false;
	enforce_point(LOG_S_ONCE, object);
	put_once(ctl, result, object, ran);
}

WRAP(int, pthread_once)(pthread_once_t *once, void (*routine)(void))
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return pthread_once(once, routine);
	once_begins(ctl, once, routine);
	int r = pthread_once(once, run_once);
	once_ends(ctl, r, once);
	return r;
}

WRAP(void, call_once)(once_flag *once, void (*routine)(void))
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native) {
		call_once(once, routine);
		return;
	}
	once_begins(ctl, once, routine);
	call_once(once, run_once);
	once_ends(ctl, 0, once);
}
