/*
 * check-name: a thread ends with a robust mutex held; the next owner gets EOWNERDEAD and sets a flag
 * check-command: heddle check --deep -- $exe
 * check-finds: assert recovered
 */
#include "../check/order.h"
#include "robust.h"
#include <assert.h>
#include <errno.h>

static int recovered;

static void *leaves(void *arg)
{
	natural(1);
	pthread_mutex_lock(&m);
	return arg;
}

static void *next(void *arg)
{
	if (pthread_mutex_lock(&m) == EOWNERDEAD) {
		recovered = 1;
		pthread_mutex_consistent(&m);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	make_robust();
	pthread_create(&t, NULL, leaves, NULL);
	pthread_create(&u, NULL, next, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(recovered == 0); /* BUG: recovered */
	return 0;
}
