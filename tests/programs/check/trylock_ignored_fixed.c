/*
 * check-name: a failed trylock leads elsewhere
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;
static int skipped;

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++;
	natural(2);
	forced(2);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *trier(void *arg)
{
	natural(1);
	forced(1);
	if (pthread_mutex_trylock(&lock)) {
		skipped++;
		return arg;
	}
	counter++;
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
	return counter + skipped != 2;
}
