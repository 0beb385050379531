/*
 * Wrappers that make objects: they never wait and are called rarely, so both runtimes share them.
 */
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include "runtime/enforce.h"
#include "runtime/sync_records.h"
#include "runtime/sync_wrappers.h"

#define INIT(NAME, KIND, P, A, O)                                                                  \
	ACQUIRE_WITH(NAME, KIND, P, A, O, enforce_point(LOG_S_##KIND, O), (void)0)
#define INIT_EXTRA(NAME, KIND, P, A, O, EXTRA_WORD)                                                \
	ACQUIRE_EXTRA(NAME, KIND, P, A, O, enforce_point(LOG_S_##KIND, O), (void)0, EXTRA_WORD)

INIT_EXTRA(pthread_mutex_init, MUTEX_INIT, (pthread_mutex_t *m, const pthread_mutexattr_t *a),
	(m, a), m, mutex_kind(a))
INIT_EXTRA(mtx_init, MUTEX_INIT, (mtx_t *m, int type), (m, type), m, type &mtx_recursive ? 1 : 0)
INIT_EXTRA(pthread_mutex_consistent, MUTEX_INIT, (pthread_mutex_t *m), (m), m, 16)
INIT(pthread_rwlock_init, RW_INIT, (pthread_rwlock_t *l, const pthread_rwlockattr_t *a), (l, a), l)
INIT(pthread_spin_init, SPIN_INIT, (pthread_spinlock_t *l, int shared), (l, shared), l)
INIT(pthread_cond_init, COND_INIT, (pthread_cond_t *c, const pthread_condattr_t *a), (c, a), c)
INIT(cnd_init, COND_INIT, (cnd_t *c), (c), c)
INIT_EXTRA(sem_init, SEM_INIT, (sem_t *s, int shared, unsigned value), (s, shared, value), s, value)
RELEASE_WITH(sem_close, SEM_DESTROY, (sem_t *s), (s), s, enforce_point(LOG_S_SEM_DESTROY, s),
	(void)0)
