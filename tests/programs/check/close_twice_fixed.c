/*
 * check-name: a resource is looked up and forgotten in one lock region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *resource;

static void *closer(void *arg)
{
	void *r;

	pthread_mutex_lock(&lock);
	r = resource;
	forced(1);
	resource = NULL;
	pthread_mutex_unlock(&lock);
	free(r);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	resource = malloc(32);
	pthread_create(&t1, NULL, closer, NULL);
	natural(1);
	pthread_create(&t2, NULL, closer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
