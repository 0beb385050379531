/*
 * check-name: a buffer of one place with one condition variable, broadcast: no thread is left asleep
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void *consume(void *arg)
{
	pthread_mutex_lock(&m);
	while (!full)
		pthread_cond_wait(&changed, &m);
	full = 0;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *produce(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		while (full)
			pthread_cond_wait(&changed, &m);
		full = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, produce, NULL);
	natural(1);
	pthread_create(&t[1], NULL, consume, NULL);
	natural(1);
	pthread_create(&t[2], NULL, consume, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
