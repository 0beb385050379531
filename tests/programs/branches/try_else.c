/*
 * check-name: a cache that is updated only if nobody else is at it
 * check-command: heddle branches -- $exe
 * check-branch: any try
 * check-branch-kind: try try
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int cached, skipped;

static void *updater(void *arg)
{
	if (pthread_mutex_trylock(&lock) == 0) { /* BRANCH: try */
		cached = cached + 1;
		pthread_mutex_unlock(&lock);
	} else {
		skipped = 1;
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, updater, NULL);
	natural(1);
	pthread_create(&t2, NULL, updater, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
