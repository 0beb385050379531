/*
 * check-name: a token goes round against the order in which the threads start
 * check-command: heddle check --deep -- $exe
 * check-finds: assert round
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { N = 3 };
static atomic_int token = N - 1;

static void *station(void *arg)
{
	int me = (int)(long)arg;

	if (atomic_load(&token) == me)
		atomic_store(&token, me - 1);
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
	assert(atomic_load(&token) != -1); /* BUG: round */
	return 0;
}
