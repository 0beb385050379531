/*
 * check-name: random numbers, seeded by the time, decide how often a lock is taken
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-output-contains: data race on 'shared'
 * check-predicts: race shared
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int work, shared;

static void *worker(void *arg)
{
	for (int n = (int)(intptr_t)arg; n >= 0; n--) {
		pthread_mutex_lock(&lock);
		work++;
		pthread_mutex_unlock(&lock);
	}
	forced(1);
	shared = 1; /* BUG: shared */
	return NULL;
}

int main(void)
{
	struct timespec now;
	pthread_t t1, t2;

	clock_gettime(CLOCK_REALTIME, &now);
	srand((unsigned)now.tv_nsec);
	pthread_create(&t1, NULL, worker, (void *)(intptr_t)(rand() % 997));
	natural(1);
	pthread_create(&t2, NULL, worker, (void *)(intptr_t)(rand() % 997));
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return shared != 1;
}
