/*
 * Mutexes, reader-writer locks and spin locks under a schedule: a lock is tried, and tried again
 * when it is free.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include "runtime/enforce/spin.h"
#include "runtime/enforce/sync_wrappers.h"
#include "runtime/sync_records.h"

/* ---- taking ------------------------------------------------------------------------------- */

struct lock { /* a kind of lock: how it is tried, and whether that would succeed now */
	uint8_t kind;
	int (*try)(void *object);
	int (*take)(void *object); /* waits in the library: for threads without control */
	bool (*ready)(struct controlled *t);
	void (*check)(void *object);
	void (*taken)(void *object);
	bool (*refuses)(void *object); /* the library returns an error at once */
	bool strict;                   /* an invalid time is an error even if the lock is free */
};

static void mark_taken(void *object)
{
	held_take(object, false);
}

static void put_taken(struct log_ctl *ctl, uint8_t kind, int r, void *object, bool waited)
{
	if (!waited)
		put_sync(ctl, kind, r, seq_of(object));
	else
		put_sync_more(ctl, &(struct sync_more){.kind = kind,
					   .flags = LOG_F_WAITED,
					   .result = r,
					   .seq = seq_of(object)});
}

static bool is_acquired(int r)
{
	return !r || r == EOWNERDEAD;
}

static int take_controlled(
	struct log_ctl *ctl, const struct lock *k, void *object, uint64_t deadline, bool *waited)
{
	if (k->strict && deadline == BAD_DEADLINE)
		return EINVAL;
	for (;;) {
		int r = k->try(object);
		if (r != EBUSY)
			return r;
		if (k->refuses && k->refuses(object))
			return k->take(object);
		if (deadline == BAD_DEADLINE)
			return EINVAL;
		if (!*waited)
			put_blocked(ctl);
		*waited = true;
		if (!wait_until(k->kind, object, k->ready, deadline))
			return ETIMEDOUT;
	}
}

static int take_lock(struct log_ctl *ctl, const struct lock *k, void *object, uint64_t deadline)
{
	bool waited = false;
	arrive(k->kind, object);
	k->check(object);
	int r = in_control() ? take_controlled(ctl, k, object, deadline, &waited) : k->take(object);
	if (is_acquired(r))
		k->taken(object);
	me->failed = !is_acquired(r);
	passed();
	put_taken(ctl, k->kind, r, object, waited);
	return r;
}

#define TAKE(NAME, LOCK, P, A, O)                                                                  \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		return ctl->native ? NAME A : take_lock(ctl, &LOCK, O, NO_DEADLINE);               \
	}

/* With a deadline. Without control the library waits. */
#define TAKE_TIMED(NAME, LOCK, P, A, O, CLOCK)                                                     \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		if (in_control())                                                                  \
			return take_lock(ctl, &LOCK, O, deadline_of(CLOCK, t));                    \
		enforce_point(LOCK.kind, O);                                                       \
		int r = NAME A;                                                                    \
		if (is_acquired(r))                                                                \
			LOCK.taken(O);                                                             \
		put_sync(ctl, LOCK.kind, r, seq_of(O));                                            \
		return r;                                                                          \
	}

#define TRY(NAME, LOCK, KIND, P, A, O)                                                             \
	SPIN_TRY(NAME, P);                                                                         \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		spin_tries(me);                                                                    \
		arrive(LOG_S_##KIND, O);                                                           \
		LOCK.check(O);                                                                     \
		int r = LOCK.try(O);                                                               \
		if (is_acquired(r))                                                                \
			LOCK.taken(O);                                                             \
		me->failed = !is_acquired(r);                                                      \
		passed();                                                                          \
		put_sync(ctl, LOG_S_##KIND, r, seq_of(O));                                         \
		return r;                                                                          \
	}

/* ---- mutexes ------------------------------------------------------------------------------ */

static int mutex_try(void *m)
{
	return pthread_mutex_trylock(m);
}

static int mutex_take(void *m)
{
	return pthread_mutex_lock(m);
}

static bool mutex_ready(struct controlled *t)
{
	return mutex_is_free(t->object);
}

static int mutex_type(void *m)
{
	return ((pthread_mutex_t *)m)->__data.__kind & 3;
}

/* The library reports the error to the program: not a misuse. */
static bool reports_errors(void *m)
{
	return mutex_type(m) == PTHREAD_MUTEX_RECURSIVE ||
	       mutex_type(m) == PTHREAD_MUTEX_ERRORCHECK;
}

static bool is_robust(void *m)
{
	return ((pthread_mutex_t *)m)->__data.__kind & 16;
}

static bool mutex_is_mine(void *m)
{
	return control.shared && me != &uncontrolled &&
	       (uint32_t)((pthread_mutex_t *)m)->__data.__owner == me->tid;
}

static void mutex_check(void *m)
{
	if (((pthread_mutex_t *)m)->__data.__kind == -1)
		misuse(SCHED_USE_DESTROYED, m);
	else if (mutex_is_mine(m) && !reports_errors(m))
		misuse(SCHED_LOCK_OWN, m);
}

static void mutex_taken(void *m)
{
	held_take(m, mutex_type(m) == PTHREAD_MUTEX_RECURSIVE);
}

static void mutex_check_try(void *m)
{
	if (((pthread_mutex_t *)m)->__data.__kind == -1)
		misuse(SCHED_USE_DESTROYED, m);
}

static void mutex_check_unlock(void *m)
{
	mutex_check_try(m);
	if (!control.shared || me == &uncontrolled)
		return;
	bool had = held_give(m);
	if (mutex_type(m) == PTHREAD_MUTEX_ERRORCHECK || is_robust(m))
		return;
	if (mutex_is_free(m))
		misuse(SCHED_UNLOCK_FREE, m);
	else if (!had && !mutex_is_mine(m))
		misuse(SCHED_UNLOCK_OTHERS, m);
}

static void mutex_check_destroy(void *m)
{
	mutex_check_try(m);
	if (waited_for(m))
		misuse(SCHED_DESTROY_WAITED, m);
	else if (is_robust(m) ? held_by(m, me) != NULL : !mutex_is_free(m))
		misuse(SCHED_DESTROY_HELD, m);
}

static bool mutex_refuses(void *m)
{
	return mutex_type(m) == PTHREAD_MUTEX_ERRORCHECK && mutex_is_mine(m);
}

static const struct lock mutex_lock = {LOG_S_LOCK, mutex_try, mutex_take, mutex_ready, mutex_check,
	mutex_taken, mutex_refuses, false};
static const struct lock mutex_try_lock = {
	.try = mutex_try, .check = mutex_check_try, .taken = mutex_taken};

CHECKED_RELEASE(pthread_mutex_destroy, MUTEX_DESTROY, (pthread_mutex_t * m), (m), m,
	mutex_check_destroy(m), (void)0)
RELEASE_VOID(mtx_destroy, MUTEX_DESTROY, (mtx_t * m), (m), m,
	(arrive(LOG_S_MUTEX_DESTROY, m), mutex_check_destroy(m)), passed())
TAKE(pthread_mutex_lock, mutex_lock, (pthread_mutex_t * m), (m), m)
TRY(pthread_mutex_trylock, mutex_try_lock, TRYLOCK, (pthread_mutex_t * m), (m), m)
CHECKED_RELEASE(pthread_mutex_unlock, UNLOCK, (pthread_mutex_t * m), (m), m,
	mutex_check_unlock(m), (void)0)
TAKE_TIMED(pthread_mutex_timedlock, mutex_lock, (pthread_mutex_t * m, const struct timespec *t),
	(m, t), m, CLOCK_REALTIME)
TAKE_TIMED(pthread_mutex_clocklock, mutex_lock,
	(pthread_mutex_t * m, clockid_t clock, const struct timespec *t), (m, clock, t), m, clock)

/* C11: the same objects with other results. */
static int c11_result(int r)
{
	switch (r) {
	case 0: return thrd_success;
	case EBUSY: return thrd_busy;
	case ETIMEDOUT: return thrd_timedout;
	default: return thrd_error;
	}
}

static int c11_try(void *m)
{
	return mtx_trylock(m) == thrd_busy ? EBUSY : 0;
}

static int c11_take(void *m)
{
	return mtx_lock(m) == thrd_success ? 0 : EINVAL;
}

static const struct lock c11_lock = {
	LOG_S_LOCK, c11_try, c11_take, mutex_ready, mutex_check, mutex_taken, mutex_refuses, false};

static int take_c11(struct log_ctl *ctl, mtx_t *m, uint64_t deadline)
{
	bool waited = false;
	arrive(LOG_S_LOCK, m);
	mutex_check(m);
	int r = c11_result(
		in_control() ? take_controlled(ctl, &c11_lock, m, deadline, &waited) : c11_take(m));
	if (r == thrd_success)
		mutex_taken(m);
	passed();
	put_taken(ctl, LOG_S_LOCK, r, m, waited);
	return r;
}

WRAP(int, mtx_lock)(mtx_t *m)
{
	struct log_ctl *ctl = __heddle_ctl;
	return ctl->native ? mtx_lock(m) : take_c11(ctl, m, NO_DEADLINE);
}

WRAP(int, mtx_timedlock)(mtx_t *m, const struct timespec *t)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return mtx_timedlock(m, t);
	if (in_control())
		return take_c11(ctl, m, deadline_of(CLOCK_REALTIME, t));
	enforce_point(LOG_S_LOCK, m);
	int r = mtx_timedlock(m, t);
	if (r == thrd_success)
		mutex_taken(m);
	put_sync(ctl, LOG_S_LOCK, r, seq_of(m));
	return r;
}

static int c11_try_result(void *m)
{
	return mtx_trylock(m);
}

static const struct lock c11_try_lock = {
	.try = c11_try_result, .check = mutex_check_try, .taken = mutex_taken};
TRY(mtx_trylock, c11_try_lock, TRYLOCK, (mtx_t * m), (m), m)
CHECKED_RELEASE(mtx_unlock, UNLOCK, (mtx_t * m), (m), m, mutex_check_unlock(m), (void)0)

/* ---- reader-writer locks ------------------------------------------------------------------ */

/* Whether a waiting writer excludes new readers, as an attribute of the lock asks for. */
static bool writer_goes_first(const volatile void *object)
{
	const volatile pthread_rwlock_t *l = object;
	if (l->__data.__flags != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP || !control.on)
		return false;
	for (const struct controlled *t = control.alive; t; t = t->next)
		if (t->state == THREAD_BLOCKED && t->object == object &&
			t->wait_kind == LOG_S_WRLOCK)
			return true;
	return false;
}

static int read_try(void *l)
{
	return writer_goes_first(l) ? EBUSY : pthread_rwlock_tryrdlock(l);
}

static int read_take(void *l)
{
	return pthread_rwlock_rdlock(l);
}

static int write_try(void *l)
{
	return pthread_rwlock_trywrlock(l);
}

static int write_take(void *l)
{
	return pthread_rwlock_wrlock(l);
}

/* Another thread tries the lock and releases it. */
static bool read_ready(struct controlled *t)
{
	pthread_rwlock_t *l = (pthread_rwlock_t *)t->object;
	return !writer_goes_first(l) && !pthread_rwlock_tryrdlock(l) && !pthread_rwlock_unlock(l);
}

static bool write_ready(struct controlled *t)
{
	pthread_rwlock_t *l = (pthread_rwlock_t *)t->object;
	return !pthread_rwlock_trywrlock(l) && !pthread_rwlock_unlock(l);
}

/* The library refuses a lock to the thread that holds it for writing. */
static bool rwlock_refuses(void *l)
{
	return (uint32_t)((pthread_rwlock_t *)l)->__data.__cur_writer == me->tid;
}

static void rwlock_check_unlock(pthread_rwlock_t *l)
{
	check_destroyed(l);
	if (!control.shared || me == &uncontrolled || held_give(l))
		return;
	if (held_by(l, me))
		misuse(SCHED_UNLOCK_OTHERS, l);
	else if (!pthread_rwlock_trywrlock(l) && !pthread_rwlock_unlock(l))
		misuse(SCHED_UNLOCK_FREE, l);
}

static void rwlock_check_destroy(pthread_rwlock_t *l)
{
	check_destroyed(l);
	if (waited_for(l))
		misuse(SCHED_DESTROY_WAITED, l);
	else if (held_by(l, me))
		misuse(SCHED_DESTROY_HELD, l);
}

static const struct lock read_lock = {LOG_S_RDLOCK, read_try, read_take, read_ready,
	check_destroyed, mark_taken, rwlock_refuses, true};
static const struct lock write_lock = {LOG_S_WRLOCK, write_try, write_take, write_ready,
	check_destroyed, mark_taken, rwlock_refuses, true};

CHECKED_RELEASE(pthread_rwlock_destroy, RW_DESTROY, (pthread_rwlock_t * l), (l), l,
	rwlock_check_destroy(l), mark_destroyed(l))
TAKE(pthread_rwlock_rdlock, read_lock, (pthread_rwlock_t * l), (l), l)
TAKE_TIMED(pthread_rwlock_timedrdlock, read_lock, (pthread_rwlock_t * l, const struct timespec *t),
	(l, t), l, CLOCK_REALTIME)
TAKE_TIMED(pthread_rwlock_clockrdlock, read_lock,
	(pthread_rwlock_t * l, clockid_t clock, const struct timespec *t), (l, clock, t), l, clock)
TAKE(pthread_rwlock_wrlock, write_lock, (pthread_rwlock_t * l), (l), l)
TAKE_TIMED(pthread_rwlock_timedwrlock, write_lock, (pthread_rwlock_t * l, const struct timespec *t),
	(l, t), l, CLOCK_REALTIME)
TAKE_TIMED(pthread_rwlock_clockwrlock, write_lock,
	(pthread_rwlock_t * l, clockid_t clock, const struct timespec *t), (l, clock, t), l, clock)
TRY(pthread_rwlock_tryrdlock, read_lock, TRYRDLOCK, (pthread_rwlock_t * l), (l), l)
TRY(pthread_rwlock_trywrlock, write_lock, TRYWRLOCK, (pthread_rwlock_t * l), (l), l)
CHECKED_RELEASE(pthread_rwlock_unlock, RW_UNLOCK, (pthread_rwlock_t * l), (l), l,
	rwlock_check_unlock(l), (void)0)

/* ---- spin locks --------------------------------------------------------------------------- */

static int spin_try(void *l)
{
	return pthread_spin_trylock(l);
}

static int spin_take(void *l)
{
	return pthread_spin_lock(l);
}

static bool spin_is_free(void *l)
{
	return !pthread_spin_trylock(l) && !pthread_spin_unlock(l);
}

static bool spin_ready(struct controlled *t)
{
	return spin_is_free((void *)t->object);
}

static void spin_check(void *l)
{
	if (control.shared && me != &uncontrolled && held_by(l, me) == me)
		misuse(SCHED_LOCK_OWN, l);
}

static void spin_check_unlock(void *l)
{
	if (!control.shared || me == &uncontrolled || held_give(l))
		return;
	if (held_by(l, me))
		misuse(SCHED_UNLOCK_OTHERS, l);
	else if (spin_is_free(l))
		misuse(SCHED_UNLOCK_FREE, l);
}

static void spin_check_destroy(void *l)
{
	if (waited_for(l))
		misuse(SCHED_DESTROY_WAITED, l);
	else if (held_by(l, me))
		misuse(SCHED_DESTROY_HELD, l);
}

static void spin_check_try(void *l)
{
	(void)l;
}

static const struct lock spin_lock = {
	LOG_S_SPIN_LOCK, spin_try, spin_take, spin_ready, spin_check, mark_taken, NULL, false};
static const struct lock spin_try_lock = {
	.try = spin_try, .check = spin_check_try, .taken = mark_taken};

CHECKED_RELEASE(pthread_spin_destroy, SPIN_DESTROY, (pthread_spinlock_t * l), (l), l,
	spin_check_destroy((void *)l), (void)0)
TAKE(pthread_spin_lock, spin_lock, (pthread_spinlock_t * l), (l), (void *)l)
TRY(pthread_spin_trylock, spin_try_lock, SPIN_TRYLOCK, (pthread_spinlock_t * l), (l), (void *)l)
CHECKED_RELEASE(pthread_spin_unlock, SPIN_UNLOCK, (pthread_spinlock_t * l), (l), l,
	spin_check_unlock((void *)l), (void)0)
