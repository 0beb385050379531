/*
 * check-name: a thread that still runs is joined before its result is used
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#define _GNU_SOURCE
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static int result;

static void *compute(void *arg)
{
	result = 7;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, compute, NULL);
	natural(2);
	if (pthread_tryjoin_np(t, NULL) != 0)
		pthread_join(t, NULL);
	assert(result == 7);
	return 0;
}
