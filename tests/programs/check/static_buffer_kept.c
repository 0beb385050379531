/*
 * check-name: a result of gmtime is read after another thread may have called gmtime
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-finds: nothing
 * check-output-contains: the results of calls that access the buffers of 'localtime', 'gmtime', 'asctime' and 'ctime' depend on their order
 * check-force: no, the order that fails is rare
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static atomic_int called;

static void *keep(void *arg)
{
	time_t start = 0;
	struct tm *tm = gmtime(&start);

	atomic_store(&called, 1);
	assert(tm->tm_year == 70);
	return arg;
}

static void *call_later(void *arg)
{
	time_t later = 2000000000;

	natural(1);
	if (atomic_load(&called))
		gmtime(&later);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, keep, NULL);
	pthread_create(&u, NULL, call_later, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
