/*
 * check-name: work that is cancelled between its two halves is put back, though half of it is done
 * check-command: heddle check --deep -- $exe
 * check-finds: assert halves
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int cancelled, half, back;

static int is_cancelled(void)
{
	int c;

	pthread_mutex_lock(&lock);
	c = cancelled;
	pthread_mutex_unlock(&lock);
	return c;
}

static void *worker(void *arg)
{
	if (is_cancelled())
		return arg;
	pthread_mutex_lock(&lock);
	half = 1;
	pthread_mutex_unlock(&lock);
	if (is_cancelled()) {
		pthread_mutex_lock(&lock);
		back = 1;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *canceller(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	cancelled = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	pthread_create(&t2, NULL, canceller, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(!(back && half)); /* BUG: halves */
	return 0;
}
