/*
 * check-name: the owner after a dead one makes the mutex consistent, so each later one gets it
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include "robust.h"
#include <assert.h>
#include <errno.h>

static int count;

static void *leaves(void *arg)
{
	natural(2);
	pthread_mutex_lock(&m);
	return arg;
}

static void *adds(void *arg)
{
	if (pthread_mutex_lock(&m) == EOWNERDEAD)
		pthread_mutex_consistent(&m);
	count++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	make_robust();
	pthread_create(&t, NULL, leaves, NULL);
	pthread_create(&u, NULL, adds, NULL);
	natural(1);
	adds(NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(count == 2);
	return 0;
}
