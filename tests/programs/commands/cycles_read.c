/*
 * check-name: the counter of cycles is a clock: an exploration does not cover other times
 * check-command: heddle explore -- $exe
 * check-exit: 0
 * check-output-contains: other times that the program reads from the clock
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long before;
static int late;

static void *work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&m);
	if (before && __builtin_readcyclecounter() - before > 3000000000ull)
		late = 1;
	before = __builtin_readcyclecounter();
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, work, NULL);
	pthread_create(&u, NULL, work, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(!late);
	return 0;
}
