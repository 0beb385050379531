/*
 * check-name: a flag in a loop of timed waits
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int flag;

static void put(int value)
{
	pthread_mutex_lock(&m);
	flag = value;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&m);
}

static void *setter(void *arg)
{
	natural(1);
	put(1);
	return arg;
}

int main(void)
{
	struct timespec soon = {.tv_sec = 1};
	pthread_t t;

	pthread_create(&t, NULL, setter, NULL);
	pthread_mutex_lock(&m);
	while (!flag)
		pthread_cond_timedwait(&changed, &m, &soon);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
