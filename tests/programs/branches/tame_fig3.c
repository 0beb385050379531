/*
 * check-name: Tame, Fig. 3: three branches over x and y, of which only the last depends on the schedule
 * check-command: heddle branches -- $exe
 * check-branch: not one
 * check-branch: not two
 * check-branch: unclear three
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, y, done;

static void *second(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	x = x + 2;
	if (x > y) /* BRANCH: three */
		done = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	if (x > y) /* BRANCH: one */
		x = y;
	x = x + 1;
	pthread_create(&t, NULL, second, NULL);
	pthread_mutex_lock(&lock);
	if (x > y) /* BRANCH: two */
		y = 5;
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
