/* Scenarios of threads: how they begin and end. */
#include <errno.h>
#include <string.h>
#include "target.h"
#include "traced.h"

static void must(bool ok)
{
	if (!ok)
		_exit(99);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

THREAD(50, counter)
{
	for (uint64_t i = 0; i < 10; i++) {
		__heddle_pthread_mutex_lock(&mutex);
		value(i);
		__heddle_pthread_mutex_unlock(&mutex);
	}
	return arg;
}

/* 1000 short threads, ten at a time. */
void scenario_threads(void)
{
	pthread_t t[10];
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 10; j++)
			must(!__heddle_pthread_create(&t[j], NULL, counter, (void *)7));
		for (int j = 0; j < 10; j++) {
			void *r = NULL;
			must(!__heddle_pthread_join(t[j], &r) && r == (void *)7);
		}
	}
}

THREAD(51, writer)
{
	uint64_t n = (uint64_t)arg;
	for (uint64_t i = 0; i < 300000; i++) {
		value(n * 1000000 + i);
		if (i % 100 == 0)
			__heddle_free(__heddle_malloc(16));
	}
	return arg;
}

/* More bytes than fit into a few chunks, from several threads at once. */
void scenario_storm(void)
{
	pthread_t t[4];
	for (uint64_t i = 0; i < 4; i++)
		__heddle_pthread_create(&t[i], NULL, writer, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		__heddle_pthread_join(t[i], NULL);
}

static int c11_body(void *arg)
{
	__heddle_callback(52, (uint64_t[1]){(uint64_t)arg}, 1);
	value(52);
	__heddle_callback_end();
	return 8;
}

void scenario_results(void)
{
	thrd_t c;
	int r = 0;
	must(__heddle_thrd_create(&c, c11_body, NULL) == thrd_success);
	must(__heddle_thrd_join(c, &r) == thrd_success && r == 8);
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << 46); /* cannot be had */
	pthread_t t;
	must(__heddle_pthread_create(&t, &attr, counter, NULL) != 0);
	pthread_attr_setstacksize(&attr, 1 << 18);
	must(!__heddle_pthread_create(&t, &attr, counter, NULL));
	must(!__heddle_pthread_join(t, NULL));
}

THREAD(53, detached)
{
	value(53);
	__heddle_sem_post(arg);
	return NULL;
}

void scenario_detached(void)
{
	sem_t sem;
	pthread_t t;
	sem_init(&sem, 0, 0);
	for (int i = 0; i < 200; i++) {
		__heddle_pthread_create(&t, NULL, detached, &sem);
		must(!__heddle_pthread_detach(t));
	}
	for (int i = 0; i < 200; i++)
		__heddle_sem_wait(&sem);
	NATIVE(usleep(100000));
}

/* ---- ends
 * ---------------------------------------------------------------------------------------- */

static pthread_key_t key;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t waiting;

/* Wants to be called in every round. */
THUNK(60, key_destructor, (void *p), p)
{
	value((uint64_t)p);
	NATIVE(pthread_setspecific(key, (char *)p + 1));
}

THUNK(61, cleanup, (void *p), p)
{
	value((uint64_t)p);
	__heddle_pthread_mutex_unlock(&mutex);
}

THREAD(62, victim)
{
	NATIVE(pthread_setspecific(key, (void *)1));
	__heddle_pthread_mutex_lock(&mutex);
	pthread_cleanup_push(cleanup, (void *)62);
	__heddle_sem_post(&waiting);
	for (;;)
		__heddle_pthread_cond_wait(&never, &mutex);
	pthread_cleanup_pop(0);
	return arg;
}

void scenario_cancel(void)
{
	pthread_t t;
	void *r;
	NATIVE(pthread_key_create(&key, key_destructor));
	sem_init(&waiting, 0, 0);
	__heddle_pthread_create(&t, NULL, victim, NULL);
	__heddle_sem_wait(&waiting);
	__heddle_pthread_mutex_lock(&mutex);
	__heddle_pthread_mutex_unlock(&mutex);
	must(!__heddle_pthread_cancel(t));
	must(!__heddle_pthread_join(t, &r) && r == PTHREAD_CANCELED);
}

THREAD(63, spinner)
{
	NATIVE(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	__heddle_sem_post(&waiting);
	for (uint64_t i = 0;; i++)
		value(i);
	return arg;
}

void scenario_cancel_async(void)
{
	pthread_t t;
	sem_init(&waiting, 0, 0);
	__heddle_pthread_create(&t, NULL, spinner, NULL);
	__heddle_sem_wait(&waiting);
	NATIVE(usleep(1000));
	must(!__heddle_pthread_cancel(t));
	must(!__heddle_pthread_join(t, NULL));
}

THREAD(64, leaver)
{
	NATIVE(pthread_setspecific(key, (void *)1));
	value(64);
	__heddle_pthread_exit(arg);
}

void scenario_thread_exit(void)
{
	pthread_t t;
	void *r;
	NATIVE(pthread_key_create(&key, key_destructor));
	__heddle_pthread_create(&t, NULL, leaver, (void *)9);
	must(!__heddle_pthread_join(t, &r) && r == (void *)9);
}

THREAD(65, survivor)
{
	NATIVE(usleep(50000));
	value(65);
	return arg;
}

/* The atexit handlers run in the last thread, after its end. */
void scenario_main_thread_exit(void)
{
	pthread_t t;
	__heddle_pthread_create(&t, NULL, survivor, NULL);
	__heddle_pthread_exit(NULL);
}

static pthread_mutex_t robust;
THREAD(66, dier)
{
	__heddle_pthread_mutex_lock(&robust);
	return arg;
}

void scenario_robust(void)
{
	pthread_mutexattr_t a;
	pthread_t t;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	__heddle_pthread_mutex_init(&robust, &a);
	__heddle_pthread_create(&t, NULL, dier, NULL);
	__heddle_pthread_join(t, NULL);
	must(__heddle_pthread_mutex_lock(&robust) == EOWNERDEAD);
	must(!__heddle_pthread_mutex_consistent(&robust));
	__heddle_pthread_mutex_unlock(&robust);
}
