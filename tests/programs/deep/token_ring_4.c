/*
 * check-name: a token goes round four stations against the order in which they start
 * check-command: heddle check --deep -- $exe
 * check-finds: assert round
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

enum { N = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int token = N - 1;

static void *station(void *arg)
{
	int me = (int)(long)arg;

	pthread_mutex_lock(&lock);
	if (token == me)
		token = me - 1;
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
	assert(token != -1); /* BUG: round */
	return 0;
}
