/*
 * Spin locks. A waiter blocks on the wait queue of the lock instead of spinning, so a lock that
 * is never released is reported as a deadlock.
 *
 * There is no static initializer. As with glibc on x86-64, 1 is free and a zeroed object is not a
 * usable lock; a held one is -(machine id of the holder + 1).
 */
#include "model_thread.h"

enum { FREE = 1, NEVER_MADE = 0, DESTROYED = INT_MIN };

static void check(pthread_spinlock_t *l)
{
	if (*l == DESTROYED)
		__heddle_fault(HEDDLE_FAULT_USE_DESTROYED, "spin lock used after it was destroyed",
			(void *)l);
	if (*l == NEVER_MADE || *l > FREE)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT,
			"not a spin lock, or never initialized by pthread_spin_init", (void *)l);
}

static int mark(void)
{
	return -(int)(__heddle_thread_self() + 1);
}

int pthread_spin_lock(pthread_spinlock_t *l)
{
	bool waits = __heddle_sync("pthread_spin_lock", (void *)l);

	check(l);
	if (*l == mark())
		__heddle_fault(HEDDLE_FAULT_DOUBLE_LOCK,
			"spin lock locked again by the thread that holds it", (void *)l);
	while (waits || *l != FREE) {
		waits = false;
		__heddle_wait((void *)l, "pthread_spin_lock");
		check(l);
	}
	*l = mark();
	return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *l)
{
	__heddle_sync("pthread_spin_trylock", (void *)l);
	check(l);
	if (*l != FREE)
		return EBUSY;
	*l = mark();
	return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *l)
{
	__heddle_sync("pthread_spin_unlock", (void *)l);
	check(l);
	if (*l == FREE)
		__heddle_fault(HEDDLE_FAULT_DOUBLE_UNLOCK, "spin lock unlocked that is not locked",
			(void *)l);
	if (*l != mark())
		__heddle_fault(HEDDLE_FAULT_FOREIGN_UNLOCK,
			"spin lock unlocked by a thread that does not hold it", (void *)l);
	*l = FREE;
	__heddle_notify_one((void *)l);
	return 0;
}

int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	(void)shared; /* glibc accepts any value */
	__heddle_sync("pthread_spin_init", (void *)l);
	*l = FREE;
	return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *l)
{
	__heddle_sync("pthread_spin_destroy", (void *)l);
	check(l);
	if (*l != FREE)
		__heddle_fault(HEDDLE_FAULT_DESTROY, "locked spin lock destroyed",
			(void *)l);
	*l = DESTROYED;
	return 0;
}
