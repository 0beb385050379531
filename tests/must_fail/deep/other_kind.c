/*
 * check-name: a failure of another kind
 * check-command: heddle check --deep -- $exe
 * check-finds: null done
 * must-fail: no finding for 'null done'
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int begun, done;

static void *job(void *arg)
{
	usleep(30000);
	atomic_store(&begun, 1);
	atomic_store(&done, 1);
	return arg;
}

static void *looker(void *arg)
{
	if (atomic_load(&begun)) /* BUG: other */
		assert(atomic_load(&done)); /* BUG: done */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, job, NULL);
	pthread_create(&t2, NULL, looker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
