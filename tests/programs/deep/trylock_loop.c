/*
 * check-name: a thread ends without releasing a lock that another one tries for
 * check-command: heddle check --deep -- $exe
 * check-finds: hang try
 * check-allows: recursion
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int early;

static void *keeper(void *arg)
{
	pthread_mutex_lock(&m);
	if (atomic_load(&early))
		return arg;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *user(void *arg)
{
	natural(1);
	atomic_store(&early, 1);
	while (pthread_mutex_trylock(&m)) /* BUG: try */
		sched_yield();
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, keeper, NULL);
	pthread_create(&u, NULL, user, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
