/*
 * check-name: the recorded wait runs out of time; one that is woken finds half of the answer
 * check-command: heddle check --deep -- $exe
 * check-finds: assert answer
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int answer;

static void *asker(void *arg)
{
	struct timespec until;
	int got;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 5000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	if (sem_timedwait(&ready, &until) == 0) {
		pthread_mutex_lock(&lock);
		got = answer;
		pthread_mutex_unlock(&lock);
		assert(got); /* BUG: answer */
	}
	return arg;
}

static void *answerer(void *arg)
{
	natural(2);
	sem_post(&ready);
	pthread_mutex_lock(&lock);
	answer = 42;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&ready, 0, 0);
	pthread_create(&t1, NULL, asker, NULL);
	pthread_create(&t2, NULL, answerer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
