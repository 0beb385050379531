/*
 * check-name: a token that only a station beyond the last could take away
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int token = N - 1;

static void *station(void *arg)
{
	int me = (int)(long)arg;

	pthread_mutex_lock(&lock);
	if (token == me)
		token = (me + N - 1) % N;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (long i = 0; i < N; i++) {
		pthread_create(&t[i], NULL, station, (void *)i);
		natural(1);
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(token != -1);
	return 0;
}
