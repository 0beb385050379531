/*
 * POSIX semaphores, unnamed and named. The value comes first, as in glibc; a zeroed object is a
 * semaphore of value 0. sem_post wakes one waiter and does not hand over: the first thread to run
 * takes the unit, and a woken waiter tests the value again.
 *
 * Named semaphores live as long as this run of the program: the name space starts empty and no
 * other process shares it.
 */
#include "model_thread.h"
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>

struct sem {
	uint32_t value;
	uint32_t waiters; /* blocked, not yet notified */
	uint32_t state;   /* 0 or MODEL_DESTROYED */
};
_Static_assert(sizeof(struct sem) <= sizeof(sem_t), "lives inside the user's object");

static struct sem *sem_of(sem_t *p)
{
	struct sem *s = (struct sem *)p;

	if (s->state == MODEL_DESTROYED)
		__heddle_fault(HEDDLE_FAULT_USE_DESTROYED,
			"semaphore used after it was destroyed", p);
	return s;
}

static int wait_for(sem_t *p, const struct model_timeout *timeout, const char *why, bool waits)
{
	struct sem *s = sem_of(p);

	if (timeout && __m_timeout_check(timeout))
		return m_fail(EINVAL);
	__m_testcancel();
	while (waits || !s->value) {
		waits = false;
		s->waiters++;
		enum model_wake wake = __m_wait(p, why, timeout, true);
		if (wake != MODEL_WOKEN)
			s->waiters--;
		if (wake == MODEL_CANCELLED)
			__m_testcancel();
		if (wake == MODEL_TIMED_OUT)
			return m_fail(ETIMEDOUT);
		sem_of(p);
	}
	s->value--;
	return 0;
}

int sem_wait(sem_t *p)
{
	bool waits = __heddle_sync("sem_wait", p);

	return wait_for(p, NULL, "sem_wait", waits);
}

int sem_timedwait(sem_t *restrict p, const struct timespec *restrict at)
{
	struct model_timeout timeout = {CLOCK_REALTIME, at};

	bool waits = __heddle_sync("sem_timedwait", p);

	return wait_for(p, &timeout, "sem_timedwait", waits);
}

int sem_clockwait(sem_t *restrict p, clockid_t clock, const struct timespec *restrict at)
{
	struct model_timeout timeout = {clock, at};

	bool waits = __heddle_sync("sem_clockwait", p);

	return wait_for(p, &timeout, "sem_clockwait", waits);
}

int sem_trywait(sem_t *p)
{
	__heddle_sync("sem_trywait", p);
	struct sem *s = sem_of(p);

	if (!s->value)
		return m_fail(EAGAIN);
	s->value--;
	return 0;
}

int sem_post(sem_t *p)
{
	__heddle_sync("sem_post", p);
	struct sem *s = sem_of(p);

	if (s->value == SEM_VALUE_MAX)
		return m_fail(EOVERFLOW);
	s->value++;
	if (s->waiters)
		s->waiters -= __heddle_notify_one(p);
	return 0;
}

int sem_getvalue(sem_t *restrict p, int *restrict value)
{
	__heddle_sync("sem_getvalue", p);
	*value = (int)sem_of(p)->value;
	return 0;
}

static void make(sem_t *p, unsigned value)
{
	memset(p, 0, sizeof(*p));
	((struct sem *)p)->value = value;
}

int sem_init(sem_t *p, int shared, unsigned value)
{
	(void)shared;
	__heddle_sync("sem_init", p);
	if (value > SEM_VALUE_MAX)
		return m_fail(EINVAL);
	make(p, value);
	return 0;
}

int sem_destroy(sem_t *p)
{
	__heddle_sync("sem_destroy", p);
	struct sem *s = sem_of(p);

	if (s->waiters)
		__heddle_fault(HEDDLE_FAULT_DESTROY,
			"semaphore destroyed while threads wait on it", p);
	s->state = MODEL_DESTROYED;
	return 0;
}

/* ---- named -------------------------------------------------------------------------------- */

struct named {
	struct named *next;
	sem_t *sem;
	unsigned opened; /* calls of sem_open without a sem_close */
	bool linked;     /* not unlinked: sem_open finds it */
	char name[];
};

static struct named *all_named;

/* The name without its slashes; NULL with errno set if it cannot name a semaphore. */
static const char *plain_name(const char *name, int bad)
{
	while (*name == '/')
		name++;
	if (!*name || strchr(name, '/')) {
		errno = bad;
		return NULL;
	}
	if (strlen(name) > NAME_MAX - strlen("sem.")) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return name;
}

static struct named *find(const char *name)
{
	for (struct named *n = all_named; n; n = n->next)
		if (n->linked && !strcmp(n->name, name))
			return n;
	return NULL;
}

static struct named *add(const char *name, unsigned value)
{
	size_t len = strlen(name) + 1;
	struct named *n = __heddle_alloc(sizeof(*n) + len, _Alignof(struct named), true);

	if (!n)
		return NULL;
	n->sem = __heddle_alloc(sizeof(sem_t), _Alignof(sem_t), false);
	if (!n->sem) {
		__heddle_free(n);
		return NULL;
	}
	make(n->sem, value);
	memcpy(n->name, name, len);
	n->linked = true;
	n->next = all_named;
	all_named = n;
	return n;
}

static void drop_if_unused(struct named *n)
{
	struct named **link = &all_named;

	if (n->opened || n->linked)
		return;
	while (*link != n)
		link = &(*link)->next;
	*link = n->next;
	__heddle_free(n->sem);
	__heddle_free(n);
}

sem_t *sem_open(const char *name, int flags, ...)
{
	__heddle_sync("sem_open", NULL);
	const char *plain = plain_name(name, EINVAL);
	if (!plain)
		return SEM_FAILED;
	struct named *n = find(plain);

	if (n && (flags & O_CREAT) && (flags & O_EXCL)) {
		errno = EEXIST;
		return SEM_FAILED;
	}
	if (!n && !(flags & O_CREAT)) {
		errno = ENOENT;
		return SEM_FAILED;
	}
	if (!n) {
		va_list ap;
		va_start(ap, flags);
		(void)va_arg(ap, mode_t);
		unsigned value = va_arg(ap, unsigned);
		va_end(ap);
		if (value > SEM_VALUE_MAX) {
			errno = EINVAL;
			return SEM_FAILED;
		}
		n = add(plain, value);
		if (!n) {
			errno = ENOMEM;
			return SEM_FAILED;
		}
	}
	n->opened++;
	return n->sem;
}

int sem_close(sem_t *p)
{
	__heddle_sync("sem_close", p);
	for (struct named *n = all_named; n; n = n->next)
		if (n->sem == p && n->opened) {
			n->opened--;
			drop_if_unused(n);
			return 0;
		}
	return m_fail(EINVAL);
}

int sem_unlink(const char *name)
{
	__heddle_sync("sem_unlink", NULL);
	const char *plain = plain_name(name, ENOENT);
	struct named *n = plain ? find(plain) : NULL;

	if (!plain)
		return -1;
	if (!n)
		return m_fail(ENOENT);
	n->linked = false;
	drop_if_unused(n);
	return 0;
}
