/*
 * check-name: a thread that is cancelled at a place that depends on the order: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'pthread_cancel' (cancelled_somewhere.c:24) was not reordered: the cancellation of threads is not modelled
 */
#include <pthread.h>
#include <unistd.h>

static void *work(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(void)
{
	pthread_t t;
	void *result;

	pthread_create(&t, NULL, work, NULL);
	pthread_cancel(t);
	pthread_join(t, &result);
	return result != PTHREAD_CANCELED;
}
