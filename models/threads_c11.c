/*
 * <threads.h> over the same objects as pthreads: as in glibc, mtx_t is a mutex, cnd_t a condition
 * variable, thrd_t a pthread_t, tss_t a key. call_once is in pthread_once.c.
 */
#include "model_thread.h"
#include <threads.h>

static int status(int err)
{
	switch (err) {
	case 0: return thrd_success;
	case ENOMEM: return thrd_nomem;
	case ETIMEDOUT: return thrd_timedout;
	case EBUSY: return thrd_busy;
	default: return thrd_error;
	}
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	__heddle_sync("thrd_create", thread);
	int err = __m_create(thread, NULL, NULL, start, arg);
	return err == EAGAIN ? thrd_nomem : status(err);
}

int thrd_equal(thrd_t a, thrd_t b)
{
	return a == b;
}

thrd_t thrd_current(void)
{
	return pthread_self();
}

void thrd_exit(int result)
{
	pthread_exit((void *)(intptr_t)result);
}

int thrd_join(thrd_t thread, int *result)
{
	void *value;
	int err = pthread_join(thread, &value);

	if (!err && result)
		*result = (int)(intptr_t)value;
	return status(err);
}

int thrd_detach(thrd_t thread)
{
	return status(pthread_detach(thread));
}

void thrd_yield(void)
{
	__heddle_sync("thrd_yield", NULL);
}

int thrd_sleep(const struct timespec *duration, struct timespec *remaining)
{
	__heddle_sync("thrd_sleep", NULL);
	if (duration->tv_sec < 0 || duration->tv_nsec < 0 ||
		duration->tv_nsec >= (long)M_NS_PER_S)
		return -2;
	if (remaining)
		*remaining = (struct timespec){0, 0};
	uint64_t s = (uint64_t)duration->tv_sec;
	__m_sleep(s > UINT64_MAX / M_NS_PER_S - 1 ? UINT64_MAX :
		s * M_NS_PER_S + (uint64_t)duration->tv_nsec, "thrd_sleep");
	return 0;
}

int mtx_init(mtx_t *m, int type)
{
	if (type & ~(mtx_plain | mtx_timed | mtx_recursive))
		return thrd_error;
	__heddle_sync("mtx_init", m);
	*(pthread_mutex_t *)m = type & mtx_recursive ?
		(pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP :
		(pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return thrd_success;
}

int mtx_lock(mtx_t *m)
{
	return status(pthread_mutex_lock((pthread_mutex_t *)m));
}

int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict at)
{
	return status(pthread_mutex_timedlock((pthread_mutex_t *)m, at));
}

int mtx_trylock(mtx_t *m)
{
	return status(pthread_mutex_trylock((pthread_mutex_t *)m));
}

int mtx_unlock(mtx_t *m)
{
	return status(pthread_mutex_unlock((pthread_mutex_t *)m));
}

void mtx_destroy(mtx_t *m)
{
	pthread_mutex_destroy((pthread_mutex_t *)m);
}

int cnd_init(cnd_t *c)
{
	return status(pthread_cond_init((pthread_cond_t *)c, NULL));
}

int cnd_signal(cnd_t *c)
{
	return status(pthread_cond_signal((pthread_cond_t *)c));
}

int cnd_broadcast(cnd_t *c)
{
	return status(pthread_cond_broadcast((pthread_cond_t *)c));
}

int cnd_wait(cnd_t *c, mtx_t *m)
{
	return status(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m));
}

int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict at)
{
	return status(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, at));
}

void cnd_destroy(cnd_t *c)
{
	pthread_cond_destroy((pthread_cond_t *)c);
}

int tss_create(tss_t *key, tss_dtor_t destructor)
{
	return status(pthread_key_create(key, destructor));
}

void *tss_get(tss_t key)
{
	return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value)
{
	return status(pthread_setspecific(key, value));
}

void tss_delete(tss_t key)
{
	pthread_key_delete(key);
}
