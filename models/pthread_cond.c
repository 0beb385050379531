/*
 * Condition variables. The machine's wait queue of the object's address is the list of waiters; a
 * signal wakes one of them, any one, and a woken waiter competes for the mutex with all other
 * threads. A waiter wakes spuriously only in an exploration with --spurious.
 *
 * Zero is the static initializer. A notified waiter does not access the object again: it may be
 * destroyed and freed by then, which POSIX allows.
 */
#include "model_thread.h"

struct cond {
	uint32_t waiters; /* blocked, not yet notified */
	uint32_t state;   /* 0 or MODEL_DESTROYED */
	clockid_t clock;
	pthread_mutex_t *mutex; /* of the waiters, while there are any */
};
_Static_assert(sizeof(struct cond) <= sizeof(pthread_cond_t), "lives inside the user's object");

static struct cond *cond_of(pthread_cond_t *c)
{
	struct cond *s = (struct cond *)c;

	if (s->state == MODEL_DESTROYED)
		__heddle_fault(HEDDLE_FAULT_USE_DESTROYED,
			"condition variable used after it was destroyed", c);
	return s;
}

static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct model_timeout *timeout,
	const char *why, bool waits)
{
	struct cond *s = cond_of(c);
	int err = timeout ? __m_timeout_check(timeout) : 0;

	if (err)
		return err;
	__m_testcancel();
	if (!waits && s->waiters && s->mutex != m)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT,
			"condition variable waited on with two different mutexes", c);
	err = waits ? 0 : __m_mutex_unlock(m); /* an initial waiter has unlocked before */
	if (err)
		return err;
	s->mutex = m;
	s->waiters++;
	enum model_wake wake = __m_wait_condition(c, why, timeout);
	if (wake != MODEL_WOKEN)
		s->waiters--;
	err = __m_mutex_lock(m, NULL, why);
	if (wake == MODEL_CANCELLED)
		__m_testcancel();
	return err ? err : wake == MODEL_TIMED_OUT ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
	bool waits = __heddle_sync("pthread_cond_wait", c);

	return cond_wait(c, m, NULL, "pthread_cond_wait", waits);
}

int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
	const struct timespec *restrict at)
{
	bool waits = __heddle_sync("pthread_cond_timedwait", c);
	struct model_timeout timeout = {cond_of(c)->clock, at};
	return cond_wait(c, m, &timeout, "pthread_cond_timedwait", waits);
}

int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
	clockid_t clock, const struct timespec *restrict at)
{
	struct model_timeout timeout = {clock, at};

	bool waits = __heddle_sync("pthread_cond_clockwait", c);

	return cond_wait(c, m, &timeout, "pthread_cond_clockwait", waits);
}

int pthread_cond_signal(pthread_cond_t *c)
{
	__heddle_sync("pthread_cond_signal", c);
	struct cond *s = cond_of(c);

	if (s->waiters)
		s->waiters -= __heddle_notify_one(c);
	return 0;
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
	__heddle_sync("pthread_cond_broadcast", c);
	struct cond *s = cond_of(c);

	if (s->waiters)
		s->waiters -= __heddle_notify_all(c);
	return 0;
}

int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict attr)
{
	struct cond *s = (struct cond *)c;

	__heddle_sync("pthread_cond_init", c);
	*c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	if (attr)
		pthread_condattr_getclock(attr, &s->clock);
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *c)
{
	__heddle_sync("pthread_cond_destroy", c);
	struct cond *s = cond_of(c);

	if (s->waiters)
		__heddle_fault(HEDDLE_FAULT_DESTROY,
			"condition variable destroyed while threads wait on it", c);
	s->state = MODEL_DESTROYED;
	return 0;
}

/* ---- attributes: bit 0 is process-shared, the bits above are the clock -------------------- */

static unsigned *bits(const pthread_condattr_t *a)
{
	return (unsigned *)(void *)a;
}

int pthread_condattr_init(pthread_condattr_t *a)
{
	*bits(a) = 0;
	return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *a)
{
	(void)a;
	return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *restrict a, clockid_t *restrict clock)
{
	*clock = (clockid_t)(*bits(a) >> 1);
	return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *a, clockid_t clock)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	*bits(a) = (*bits(a) & 1) | (unsigned)clock << 1;
	return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *restrict a, int *restrict shared)
{
	*shared = (int)(*bits(a) & 1);
	return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *a, int shared)
{
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	*bits(a) = (*bits(a) & ~1u) | (unsigned)shared;
	return 0;
}
