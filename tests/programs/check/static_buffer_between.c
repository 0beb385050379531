/*
 * check-name: a second call on the shared buffer of gmtime, behind an atomic store, is a call of its own
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-finds: nothing
 * check-output-contains: the results of calls that access the buffers of 'localtime', 'gmtime', 'asctime' and 'ctime' depend on their order
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static atomic_int first_made;

static void *both(void *arg)
{
	time_t start = 0, later = 400 * 86400;

	gmtime(&start);
	atomic_store(&first_made, 1);
	assert(gmtime(&later)->tm_year == 71);
	return arg;
}

static void *after_first(void *arg)
{
	time_t start = 0;

	natural(1);
	while (!atomic_load(&first_made))
		;
	gmtime(&start);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, both, NULL);
	pthread_create(&u, NULL, after_first, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
