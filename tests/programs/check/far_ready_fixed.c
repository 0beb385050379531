/*
 * check-name: a late test of what another thread writes early, and announces by a semaphore
 * check-command: heddle check --seconds=10 -- $exe
 * check-exit: 3
 * check-finds: nothing
 * check-timeout: 60
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 9000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t ready;
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
			pthread_rwlock_wrlock(&config_lock);
			config = 42;
			pthread_rwlock_unlock(&config_lock);
			sem_post(&ready);
		}
	}
	return arg;
}

static void *use(void *arg)
{
	long seen;

	for (int i = 0; i < ROUNDS; i++)
		add(2);
	sem_wait(&ready);
	pthread_rwlock_rdlock(&config_lock);
	seen = config;
	pthread_rwlock_unlock(&config_lock);
	if (seen != 42) {
		fprintf(stderr, "no configuration\n");
		abort();
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&ready, 0, 0);
	pthread_create(&a, NULL, load, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
