/*
 * check-name: another thread changes the result of gmtime after an atomic store
 * check-command: heddle explore --switch access -- $exe
 * check-finds: assert kept
 */
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
#ifdef CORRECT
	struct tm copy;

	tm = gmtime_r(&start, &copy);
#endif
	atomic_store(&called, 1);
	assert(tm->tm_year == 70); /* BUG: kept */
	return arg;
}

static void *call_later(void *arg)
{
	time_t later = 2000000000;

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
