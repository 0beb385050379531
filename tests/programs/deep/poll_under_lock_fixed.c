/*
 * check-name: a flag that is polled under a lock
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *setter(void *arg)
{
	pthread_mutex_lock(&m);
	flag = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, setter, NULL);
	pthread_mutex_lock(&m);
	while (!flag) {
		pthread_mutex_unlock(&m);
		sched_yield();
		pthread_mutex_lock(&m);
	}
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
