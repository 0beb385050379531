/*
 * check-name: a lock that is taken by trying again and again
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *user(void *arg)
{
	while (pthread_mutex_trylock(&m))
		sched_yield();
	sum++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, user, NULL);
	natural(1);
	pthread_create(&u, NULL, user, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(sum == 2);
	return 0;
}
