/*
 * check-name: a failure that is found with --quick
 * check-command: heddle check --deep -- $exe
 * check-finds: assert order
 * must-fail: found with --quick
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun, ended;

static void *job(void *arg)
{
	atomic_store(&begun, 1);
	atomic_store(&ended, 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, job, NULL);
	assert(atomic_load(&begun) == atomic_load(&ended)); /* BUG: order */
	pthread_join(t, NULL);
	return 0;
}
