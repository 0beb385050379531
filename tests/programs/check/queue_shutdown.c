/*
 * check-name: a work queue is shut down without its lock: the worker sleeps on
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: lost wake-up
 * check-finds: lost-wakeup wait
 * check-force: hang
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
		pthread_cond_wait(&work, &lock); /* BUG: wait */
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
	atomic_store(&stop, 1);
	pthread_cond_signal(&work);
	pthread_join(t, NULL);
	return done != 2;
}
