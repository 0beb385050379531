/*
 * check-name: the owner after a dead one forgets to make the mutex consistent: it is lost for the third
 * check-command: heddle check --deep -- $exe
 * check-finds: assert locked
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
	int r = pthread_mutex_lock(&m);

	if (r != ENOTRECOVERABLE) {
		count++;
		pthread_mutex_unlock(&m); /* without pthread_mutex_consistent() */
	}
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
	assert(count == 2); /* BUG: locked */
	return 0;
}
