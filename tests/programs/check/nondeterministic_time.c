/*
 * check-name: how much work comes before the race depends on the clock
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-output-contains: data race on 'shared'
 * check-predicts: race shared
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int work, shared;

static void *worker(void *arg)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (long i = now.tv_nsec / 10 % 997; i >= 0; i--) {
		pthread_mutex_lock(&lock);
		work++;
		pthread_mutex_unlock(&lock);
	}
	forced(1);
	shared = 1; /* BUG: shared */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return shared != 1;
}
