/*
 * check-name: a work queue is shut down under its lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static atomic_int stop;
static int jobs = 2, done;

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (jobs > 0) {
			jobs--;
			done++;
		}
		if (atomic_load(&stop))
			break;
		forced(2);
		pthread_cond_wait(&work, &lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	atomic_store(&stop, 1);
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return done != 2;
}
