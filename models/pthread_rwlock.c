/*
 * Read-write locks, with glibc's preferences: by default (and for PTHREAD_RWLOCK_PREFER_WRITER_NP,
 * as in glibc) a reader enters while others read, also when writers wait; with
 * PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP it waits while writers wait.
 *
 * Uses the fields of glibc, so that every static initializer is an unlocked lock:
 *   __readers         threads that read now (a thread that read-locked twice counts twice)
 *   __cur_writer      machine id of the writer + 1
 *   __writers         writers in their wait loop; __writers_futex's address is their queue
 *   __pad3            readers in their wait loop; __wrphase_futex's address is their queue
 *   __pad4            0 or MODEL_DESTROYED
 *   __pad2            address of struct initial_reads, or 0; only in an exploration from the middle
 *                     of a program (src/explore/from_invariants.c)
 *   __flags           preference
 * The thread's record lists its read locks, so that an unlock by another thread is reported.
 * A lock that becomes free wakes all readers and one writer; the first to run wins.
 */
#include "model_thread.h"

struct initial_reads { /* read locks that threads held at the start */
	unsigned n;
	unsigned by_id[]; /* by machine id of the thread; n entries */
};

static void check(const pthread_rwlock_t *l)
{
	if (l->__data.__pad4 == MODEL_DESTROYED)
		__heddle_fault(HEDDLE_FAULT_USE_DESTROYED,
			"read-write lock used after it was destroyed", (void *)l);
	if (l->__data.__flags > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT,
			"not a read-write lock, or never initialized", (void *)l);
}

static struct model_held *held_find(struct model_thread *t, const pthread_rwlock_t *l)
{
	for (unsigned i = 0; i < t->nheld; i++)
		if (t->held[i].lock == l)
			return &t->held[i];
	return NULL;
}

/* false if there is no memory for it */
static bool held_add(struct model_thread *t, const pthread_rwlock_t *l)
{
	struct model_held *h = held_find(t, l);

	if (h) {
		h->count++;
		return true;
	}
	if (t->nheld == t->held_cap) {
		unsigned cap = t->held_cap ? 2 * t->held_cap : 4;
		h = __heddle_alloc(cap * sizeof(*h), _Alignof(struct model_held), false);
		if (!h)
			return false;
		for (unsigned i = 0; i < t->nheld; i++)
			h[i] = t->held[i];
		if (t->held)
			__heddle_free(t->held);
		t->held = h;
		t->held_cap = cap;
	}
	t->held[t->nheld++] = (struct model_held){l, 1};
	return true;
}

static void held_remove(struct model_thread *t, struct model_held *h)
{
	if (--h->count == 0)
		*h = t->held[--t->nheld];
}

/* The number of read locks on l that the thread held at the start and still holds; or NULL. */
static unsigned *initial_reads(const struct model_thread *t, const pthread_rwlock_t *l)
{
	struct initial_reads *at = (struct initial_reads *)l->__data.__pad2;

	return at && t->id < at->n && at->by_id[t->id] ? &at->by_id[t->id] : NULL;
}

static bool writing(const pthread_rwlock_t *l, const struct model_thread *t)
{
	return l->__data.__cur_writer == (int)t->id + 1;
}

static bool may_read(const pthread_rwlock_t *l)
{
	if (l->__data.__cur_writer)
		return false;
	return l->__data.__flags != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP ||
	       !l->__data.__writers;
}

static bool may_write(const pthread_rwlock_t *l)
{
	return !l->__data.__cur_writer && !l->__data.__readers;
}

static int read_enter(pthread_rwlock_t *l, struct model_thread *t)
{
	if (!held_add(t, l))
		return EAGAIN;
	l->__data.__readers++;
	return 0;
}

static int rdlock(pthread_rwlock_t *l, const struct model_timeout *timeout, const char *why,
	bool waits)
{
	struct model_thread *t = __m_self();
	int err = timeout ? __m_timeout_check(timeout) : 0;

	check(l);
	if (err)
		return err;
	if (writing(l, t))
		return EDEADLK;
	while (waits || !may_read(l)) {
		waits = false;
		l->__data.__pad3++;
		enum model_wake wake = __m_wait(&l->__data.__wrphase_futex, why, timeout, false);
		check(l);
		l->__data.__pad3--;
		if (wake == MODEL_TIMED_OUT)
			return ETIMEDOUT;
	}
	return read_enter(l, t);
}

static int wrlock(pthread_rwlock_t *l, const struct model_timeout *timeout, const char *why,
	bool waits)
{
	struct model_thread *t = __m_self();
	int err = timeout ? __m_timeout_check(timeout) : 0;

	check(l);
	if (err)
		return err;
	if (writing(l, t))
		return EDEADLK;
	if (!timeout && (held_find(t, l) || initial_reads(t, l)))
		__heddle_fault(HEDDLE_FAULT_DOUBLE_LOCK,
			"write lock asked for by a thread that holds the read lock", l);
	while (waits || !may_write(l)) {
		waits = false;
		l->__data.__writers++;
		enum model_wake wake = __m_wait(&l->__data.__writers_futex, why, timeout, false);
		check(l);
		l->__data.__writers--;
		if (wake == MODEL_TIMED_OUT) {
			if (!l->__data.__writers) /* readers may have waited for this writer */
				__heddle_notify_all(&l->__data.__wrphase_futex);
			return ETIMEDOUT;
		}
	}
	l->__data.__cur_writer = (int)t->id + 1;
	return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	bool waits = __heddle_sync("pthread_rwlock_rdlock", l);

	return rdlock(l, NULL, "pthread_rwlock_rdlock", waits);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l, const struct timespec *restrict at)
{
	struct model_timeout timeout = {CLOCK_REALTIME, at};

	bool waits = __heddle_sync("pthread_rwlock_timedrdlock", l);

	return rdlock(l, &timeout, "pthread_rwlock_timedrdlock", waits);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict l, clockid_t clock,
	const struct timespec *restrict at)
{
	struct model_timeout timeout = {clock, at};

	bool waits = __heddle_sync("pthread_rwlock_clockrdlock", l);

	return rdlock(l, &timeout, "pthread_rwlock_clockrdlock", waits);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	__heddle_sync("pthread_rwlock_tryrdlock", l);
	check(l);
	return may_read(l) ? read_enter(l, __m_self()) : EBUSY;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	bool waits = __heddle_sync("pthread_rwlock_wrlock", l);

	return wrlock(l, NULL, "pthread_rwlock_wrlock", waits);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l, const struct timespec *restrict at)
{
	struct model_timeout timeout = {CLOCK_REALTIME, at};

	bool waits = __heddle_sync("pthread_rwlock_timedwrlock", l);

	return wrlock(l, &timeout, "pthread_rwlock_timedwrlock", waits);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict l, clockid_t clock,
	const struct timespec *restrict at)
{
	struct model_timeout timeout = {clock, at};

	bool waits = __heddle_sync("pthread_rwlock_clockwrlock", l);

	return wrlock(l, &timeout, "pthread_rwlock_clockwrlock", waits);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	__heddle_sync("pthread_rwlock_trywrlock", l);
	check(l);
	if (!may_write(l))
		return EBUSY;
	l->__data.__cur_writer = (int)__m_self()->id + 1;
	return 0;
}

int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	__heddle_sync("pthread_rwlock_unlock", l);
	struct model_thread *t = __m_self();
	struct model_held *h;
	unsigned *initial;

	check(l);
	if (writing(l, t)) {
		l->__data.__cur_writer = 0;
	} else if ((h = held_find(t, l))) {
		held_remove(t, h);
		if (--l->__data.__readers)
			return 0;
	} else if ((initial = initial_reads(t, l))) {
		--*initial;
		if (--l->__data.__readers)
			return 0;
	} else if (l->__data.__cur_writer || l->__data.__readers) {
		__heddle_fault(HEDDLE_FAULT_FOREIGN_UNLOCK,
			"read-write lock unlocked by a thread that does not hold it", l);
	} else {
		__heddle_fault(HEDDLE_FAULT_DOUBLE_UNLOCK,
			"read-write lock unlocked that is not locked", l);
	}
	__heddle_notify_all(&l->__data.__wrphase_futex);
	__heddle_notify_one(&l->__data.__writers_futex);
	return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *restrict l, const pthread_rwlockattr_t *restrict attr)
{
	int kind = PTHREAD_RWLOCK_DEFAULT_NP;

	__heddle_sync("pthread_rwlock_init", l);
	*l = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	if (attr) {
		pthread_rwlockattr_getkind_np(attr, &kind);
		pthread_rwlockattr_getpshared(attr, &l->__data.__shared);
	}
	l->__data.__flags = (unsigned)kind;
	return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	__heddle_sync("pthread_rwlock_destroy", l);
	check(l);
	if (!may_write(l) || l->__data.__writers || l->__data.__pad3)
		__heddle_fault(HEDDLE_FAULT_DESTROY,
			"read-write lock destroyed while it is held or waited for", l);
	l->__data.__pad4 = MODEL_DESTROYED;
	return 0;
}

/* ---- attributes --------------------------------------------------------------------------- */

struct rwlockattr {
	int kind, shared;
};
_Static_assert(sizeof(struct rwlockattr) <= sizeof(pthread_rwlockattr_t), "lives inside it");

int pthread_rwlockattr_init(pthread_rwlockattr_t *a)
{
	*(struct rwlockattr *)a = (struct rwlockattr){PTHREAD_RWLOCK_DEFAULT_NP, 0};
	return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *a)
{
	(void)a;
	return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *restrict a, int *restrict kind)
{
	*kind = ((const struct rwlockattr *)a)->kind;
	return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *a, int kind)
{
	if (kind < PTHREAD_RWLOCK_PREFER_READER_NP ||
		kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
		return EINVAL;
	((struct rwlockattr *)a)->kind = kind;
	return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *restrict a, int *restrict shared)
{
	*shared = ((const struct rwlockattr *)a)->shared;
	return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *a, int shared)
{
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	((struct rwlockattr *)a)->shared = shared;
	return 0;
}
