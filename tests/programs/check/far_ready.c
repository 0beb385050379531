/*
 * check-name: a late test of what another thread writes early, 80,000 events before
 * check-command: heddle check --seconds=60 -- $exe
 * check-exit: 66
 * check-finds: assert late
 * check-force: SIGABRT
 * check-timeout: 150
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 9000, THREADS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;
static long total, config;

static void add(long n)
{
	pthread_mutex_lock(&lock);
	total += n;
	pthread_mutex_unlock(&lock);
}

static void *load(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		add(1);
		if (i == 250) {
#ifdef FORCE
			pause();
#endif
			pthread_rwlock_wrlock(&config_lock);
			config = 42;
			pthread_rwlock_unlock(&config_lock);
		}
	}
	return arg;
}

static void *use(void *arg)
{
	long seen;

	for (int i = 0; i < ROUNDS; i++)
		add(2);
	pthread_rwlock_rdlock(&config_lock);
	seen = config;
	pthread_rwlock_unlock(&config_lock);
	if (seen != 42) { /* BUG: late */
		fprintf(stderr, "no configuration\n");
		abort();
	}
	return arg;
}

static void *idle(void *arg)
{
	for (int i = 0; i < ROUNDS / 10; i++)
		add(3);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	pthread_create(&t[0], NULL, idle, NULL);
	pthread_create(&t[1], NULL, load, NULL);
	pthread_create(&t[2], NULL, idle, NULL);
	pthread_create(&t[3], NULL, use, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
