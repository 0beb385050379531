/*
 * check-name: a join with a time limit gives up on a thread that still writes
 * check-command: heddle check --deep -- $exe
 * check-finds: assert sum
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int sum;

static void *add(void *arg)
{
	atomic_fetch_add(&sum, 1);
	atomic_fetch_add(&sum, 1);
	return arg;
}

int main(void)
{
	struct timespec until = {.tv_sec = 1L << 33}; /* far away */
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	if (pthread_timedjoin_np(t, NULL, &until) != 0) {
		assert(atomic_load(&sum) != 1); /* BUG: sum */
		pthread_join(t, NULL);
	}
	return 0;
}
