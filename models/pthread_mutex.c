/*
 * Mutexes: normal, recursive, errorcheck, adaptive (as normal); robust ones on top of each.
 *
 * Uses the fields of glibc, so that every static initializer is an unlocked mutex:
 *   __lock     0 free, 1 held; its address names the wait queue
 *   __owner    machine id of the holder + 1
 *   __count    how often a recursive mutex is held
 *   __kind     type, plus ROBUST; KIND_DESTROYED after pthread_mutex_destroy
 *   __elision  robust only: enum consistency
 *   __list     robust only: __next links the mutexes that one thread holds
 *
 * unlock wakes one waiter and does not hand over: the first thread to run gets the mutex, and a
 * woken waiter tests it again. Where glibc returns an error code, so does the model; other misuse
 * that POSIX leaves undefined is a fault.
 */
#include "model_thread.h"

enum { ROBUST = 16, KIND_DESTROYED = -1 };
enum consistency { CONSISTENT, OWNER_DIED, NOT_RECOVERABLE };

static int type_of(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;

	if (kind == KIND_DESTROYED)
		__heddle_fault(HEDDLE_FAULT_USE_DESTROYED, "mutex used after it was destroyed",
			(void *)m);
	int type = kind & ~ROBUST;
	if (type < PTHREAD_MUTEX_TIMED_NP || type > PTHREAD_MUTEX_ADAPTIVE_NP)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT, "not a mutex, or never initialized",
			(void *)m);
	return type;
}

static bool robust(const pthread_mutex_t *m)
{
	return m->__data.__kind & ROBUST;
}

static bool held_by(const pthread_mutex_t *m, const struct model_thread *t)
{
	return m->__data.__lock && m->__data.__owner == (int)t->id + 1;
}

/* Locks a free mutex. 0, or EOWNERDEAD for a robust mutex. */
static int take(pthread_mutex_t *m, struct model_thread *t)
{
	m->__data.__lock = 1;
	m->__data.__owner = (int)t->id + 1;
	m->__data.__count = 1;
	if (!robust(m))
		return 0;
	m->__data.__list.__next = (__pthread_list_t *)t->robust;
	t->robust = m;
	return m->__data.__elision == OWNER_DIED ? EOWNERDEAD : 0;
}

/* Locks a mutex that the caller holds. would_hang: a lock without a time-out. */
static int relock(pthread_mutex_t *m, int type, bool would_hang)
{
	switch (type) {
	case PTHREAD_MUTEX_RECURSIVE_NP:
		if (m->__data.__count == UINT_MAX)
			return EAGAIN;
		m->__data.__count++;
		return 0;
	case PTHREAD_MUTEX_ERRORCHECK_NP:
		return EDEADLK;
	default:
		if (would_hang)
			__heddle_fault(HEDDLE_FAULT_DOUBLE_LOCK,
				"mutex locked again by the thread that holds it", m);
		return EBUSY;
	}
}

int __m_mutex_lock(pthread_mutex_t *m, const struct model_timeout *timeout, const char *why)
{
	struct model_thread *t = __m_self();
	int type = type_of(m);
	int err;

	if (held_by(m, t)) {
		err = relock(m, type, !timeout);
		if (err != EBUSY)
			return err;
	}
	while (m->__data.__lock) {
		err = timeout ? __m_timeout_check(timeout) : 0;
		if (err)
			return err;
		if (__m_wait(m, why, timeout, false) == MODEL_TIMED_OUT)
			return ETIMEDOUT;
		type_of(m);
	}
	if (robust(m) && m->__data.__elision == NOT_RECOVERABLE)
		return ENOTRECOVERABLE;
	return take(m, t);
}

static void robust_forget(pthread_mutex_t *m, struct model_thread *t)
{
	pthread_mutex_t **link = &t->robust;

	while (*link != m)
		link = (pthread_mutex_t **)&(*link)->__data.__list.__next;
	*link = (pthread_mutex_t *)m->__data.__list.__next;
	m->__data.__list.__next = NULL;
}

int __m_mutex_unlock(pthread_mutex_t *m)
{
	struct model_thread *t = __m_self();
	int type = type_of(m);

	if (!held_by(m, t)) {
		if (type == PTHREAD_MUTEX_RECURSIVE_NP || type == PTHREAD_MUTEX_ERRORCHECK_NP ||
			robust(m))
			return EPERM;
		if (m->__data.__lock)
			__heddle_fault(HEDDLE_FAULT_FOREIGN_UNLOCK,
				"mutex unlocked by a thread that does not hold it", m);
		__heddle_fault(HEDDLE_FAULT_DOUBLE_UNLOCK, "mutex unlocked that is not locked", m);
	}
	if (--m->__data.__count > 0)
		return 0;
	if (robust(m)) {
		robust_forget(m, t);
		if (m->__data.__elision == OWNER_DIED)
			m->__data.__elision = NOT_RECOVERABLE;
	}
	m->__data.__owner = 0;
	m->__data.__lock = 0;
	if (robust(m) && m->__data.__elision == NOT_RECOVERABLE)
		__heddle_notify_all(m);
	else
		__heddle_notify_one(m);
	return 0;
}

void __m_robust_release(struct model_thread *t)
{
	while (t->robust) {
		pthread_mutex_t *m = t->robust;

		t->robust = (pthread_mutex_t *)m->__data.__list.__next;
		m->__data.__list.__next = NULL;
		m->__data.__elision = OWNER_DIED;
		m->__data.__owner = 0;
		m->__data.__count = 0;
		m->__data.__lock = 0;
		__heddle_notify_one(m);
	}
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	if (__heddle_sync("pthread_mutex_lock", m))
		__m_wait(m, "pthread_mutex_lock", NULL, false);
	return __m_mutex_lock(m, NULL, "pthread_mutex_lock");
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
	__heddle_sync("pthread_mutex_trylock", m);
	struct model_thread *t = __m_self();
	int type = type_of(m);

	if (held_by(m, t))
		return type == PTHREAD_MUTEX_RECURSIVE_NP ?
			relock(m, type, false) : EBUSY;
	if (m->__data.__lock)
		return EBUSY;
	if (robust(m) && m->__data.__elision == NOT_RECOVERABLE)
		return ENOTRECOVERABLE;
	return take(m, t);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict m, const struct timespec *restrict at)
{
	struct model_timeout timeout = {CLOCK_REALTIME, at};

	__heddle_sync("pthread_mutex_timedlock", m);
	return __m_mutex_lock(m, &timeout, "pthread_mutex_timedlock");
}

int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock,
	const struct timespec *restrict at)
{
	struct model_timeout timeout = {clock, at};

	__heddle_sync("pthread_mutex_clocklock", m);
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return __m_mutex_lock(m, &timeout, "pthread_mutex_clocklock");
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	__heddle_sync("pthread_mutex_unlock", m);
	return __m_mutex_unlock(m);
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int type = PTHREAD_MUTEX_TIMED_NP, wants_robust = PTHREAD_MUTEX_STALLED;
	int protocol = PTHREAD_PRIO_NONE;

	__heddle_sync("pthread_mutex_init", m);
	if (attr) {
		pthread_mutexattr_gettype(attr, &type);
		pthread_mutexattr_getrobust(attr, &wants_robust);
		pthread_mutexattr_getprotocol(attr, &protocol);
		if (protocol == PTHREAD_PRIO_PROTECT)
			__heddle_unmodelled("pthread_mutex_init with PTHREAD_PRIO_PROTECT");
	}
	*m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	m->__data.__kind = type | (wants_robust == PTHREAD_MUTEX_ROBUST ? ROBUST : 0);
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *m)
{
	__heddle_sync("pthread_mutex_destroy", m);
	type_of(m);
	if (m->__data.__lock)
		__heddle_fault(HEDDLE_FAULT_DESTROY, "locked mutex destroyed", m);
	m->__data.__kind = KIND_DESTROYED;
	return 0;
}

int pthread_mutex_consistent(pthread_mutex_t *m)
{
	__heddle_sync("pthread_mutex_consistent", m);
	type_of(m);
	if (!robust(m) || !held_by(m, __m_self()) || m->__data.__elision != OWNER_DIED)
		return EINVAL;
	m->__data.__elision = CONSISTENT;
	return 0;
}

/* Only mutexes with PTHREAD_PRIO_PROTECT have a ceiling, and pthread_mutex_init refuses those. */
int pthread_mutex_getprioceiling(const pthread_mutex_t *restrict m, int *restrict ceiling)
{
	(void)m, (void)ceiling;
	return EINVAL;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *restrict m, int ceiling, int *restrict old)
{
	(void)m, (void)ceiling, (void)old;
	return EINVAL;
}
