/*
 * check-name: a lock that was not got in time is done without
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++;
	natural(3);
	forced(3);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *impatient(void *arg)
{
	struct timespec until;

	natural(1);
	forced(1);
	clock_gettime(CLOCK_REALTIME, &until);
	if (pthread_mutex_timedlock(&lock, &until) == 0) {
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, holder, NULL);
	pthread_create(&t2, NULL, impatient, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return counter < 1;
}
