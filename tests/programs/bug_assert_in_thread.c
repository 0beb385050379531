/*
 * check-name: an assertion that fails in a thread, only when it runs before another
 * check-command: heddle exec --seeds=100 -- $exe
 * check-exit: 66
 * check-error-contains: assertion failure
 * check-error-contains: Assertion `prepared' failed
 * check-error-contains: Thread T2 was created by main thread
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int prepared;

static void *prepare(void *arg)
{
	pthread_mutex_lock(&lock);
	prepared = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *use(void *arg)
{
	pthread_mutex_lock(&lock);
	assert(prepared);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, prepare, NULL);
	pthread_create(&t[1], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
