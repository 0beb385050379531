/*
 * check-name: a thread ends with a robust mutex held; each later owner recovers what it left half done
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include "robust.h"
#include <assert.h>
#include <errno.h>

static int a, b; /* equal, unless the owner ended between its two writes */

static void *leaves(void *arg)
{
	natural(1);
	pthread_mutex_lock(&m);
	a++;
	return arg;
}

static void *next(void *arg)
{
	if (pthread_mutex_lock(&m) == EOWNERDEAD) {
		b = a;
		pthread_mutex_consistent(&m);
	}
	assert(a == b);
	a++;
	b++;
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
	return 0;
}
