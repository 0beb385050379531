/*
 * Wrappers for mutexes, reader-writer locks and spin locks. Every critical section makes two of
 * these calls: the fast path is one atomic increment and 8 bytes.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include "runtime/sync_records.h"
#include "runtime/sync_wrappers.h"

RELEASE(pthread_mutex_destroy, MUTEX_DESTROY, (pthread_mutex_t *m), (m), m)
RELEASE_VOID(mtx_destroy, MUTEX_DESTROY, (mtx_t *m), (m), m, (void)0, (void)0)
LOCK(pthread_mutex_lock, pthread_mutex_trylock, LOCK, (pthread_mutex_t *m), (m), m, EBUSY)
ACQUIRE(pthread_mutex_trylock, TRYLOCK, (pthread_mutex_t *m), (m), m)
RELEASE(pthread_mutex_unlock, UNLOCK, (pthread_mutex_t *m), (m), m)
ACQUIRE(pthread_mutex_timedlock, LOCK, (pthread_mutex_t *m, const struct timespec *t), (m, t), m)
ACQUIRE(pthread_mutex_clocklock, LOCK,
	(pthread_mutex_t *m, clockid_t clock, const struct timespec *t), (m, clock, t), m)
LOCK(mtx_lock, mtx_trylock, LOCK, (mtx_t *m), (m), m, thrd_busy)
ACQUIRE(mtx_trylock, TRYLOCK, (mtx_t *m), (m), m)
ACQUIRE(mtx_timedlock, LOCK, (mtx_t *m, const struct timespec *t), (m, t), m)
RELEASE(mtx_unlock, UNLOCK, (mtx_t *m), (m), m)

RELEASE(pthread_rwlock_destroy, RW_DESTROY, (pthread_rwlock_t *l), (l), l)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, RDLOCK, (pthread_rwlock_t *l), (l), l, EBUSY)
ACQUIRE(pthread_rwlock_timedrdlock, RDLOCK, (pthread_rwlock_t *l, const struct timespec *t),
	(l, t), l)
ACQUIRE(pthread_rwlock_clockrdlock, RDLOCK,
	(pthread_rwlock_t *l, clockid_t clock, const struct timespec *t), (l, clock, t), l)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, WRLOCK, (pthread_rwlock_t *l), (l), l, EBUSY)
ACQUIRE(pthread_rwlock_timedwrlock, WRLOCK, (pthread_rwlock_t *l, const struct timespec *t),
	(l, t), l)
ACQUIRE(pthread_rwlock_clockwrlock, WRLOCK,
	(pthread_rwlock_t *l, clockid_t clock, const struct timespec *t), (l, clock, t), l)
ACQUIRE(pthread_rwlock_tryrdlock, TRYRDLOCK, (pthread_rwlock_t *l), (l), l)
ACQUIRE(pthread_rwlock_trywrlock, TRYWRLOCK, (pthread_rwlock_t *l), (l), l)
RELEASE(pthread_rwlock_unlock, RW_UNLOCK, (pthread_rwlock_t *l), (l), l)

RELEASE(pthread_spin_destroy, SPIN_DESTROY, (pthread_spinlock_t *l), (l), l)
LOCK(pthread_spin_lock, pthread_spin_trylock, SPIN_LOCK, (pthread_spinlock_t *l), (l), l, EBUSY)
ACQUIRE(pthread_spin_trylock, SPIN_TRYLOCK, (pthread_spinlock_t *l), (l), l)
RELEASE(pthread_spin_unlock, SPIN_UNLOCK, (pthread_spinlock_t *l), (l), l)
