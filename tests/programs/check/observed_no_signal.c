/*
 * check-name: the recorded run waits for a signal that nobody sends: one hang, one finding
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: lost wake-up
 * check-finds: lost-wakeup never
 * check-natural: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int go;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!go)
		pthread_cond_wait(&cond, &lock); /* BUG: never */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, waiter, NULL);
	pthread_join(t, NULL);
	return 0;
}
