/*
 * check-name: nobody posted in time, and the code takes that for "nobody will"
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert late
 * check-force: SIGABRT
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t posted;
static int delivered;

static void *receiver(void *arg)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	if (sem_timedwait(&posted, &until)) {
		forced(2);
		pthread_mutex_lock(&lock);
		assert(!delivered); /* BUG: late */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *sender(void *arg)
{
	natural(2);
	forced(1);
	pthread_mutex_lock(&lock);
	delivered = 1;
	pthread_mutex_unlock(&lock);
	sem_post(&posted);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&posted, 0, 0);
	pthread_create(&t1, NULL, receiver, NULL);
	pthread_create(&t2, NULL, sender, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
