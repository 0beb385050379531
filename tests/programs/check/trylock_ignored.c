/*
 * check-name: a failed trylock is not noticed
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'counter'
 * check-finds: race counter
 * check-allows: race 'counter'
 * check-allows: atomicity 'counter'
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++; /* BUG: counter */
	natural(2);
	forced(2);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *trier(void *arg)
{
	int failed;

	natural(1);
	forced(1);
	failed = pthread_mutex_trylock(&lock);
	counter++; /* BUG: counter */
	if (!failed)
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, holder, NULL);
	pthread_create(&t2, NULL, trier, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return counter != 2;
}
