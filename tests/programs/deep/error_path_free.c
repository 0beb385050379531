/*
 * check-name: a request that is refused is freed by who refuses it, and by who asked
 * check-command: heddle check --deep -- $exe
 * check-finds: double-free request
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int closed;

static int submit(char *r)
{
	if (atomic_load(&closed)) {
		free(r); /* BUG: request */
		return -1;
	}
	r[0] = 1;
	return 0;
}

static void *client(void *arg)
{
	char *r = calloc(8, 1);

	submit(r);
	free(r); /* BUG: request */
	return arg;
}

static void *closer(void *arg)
{
	natural(1);
	atomic_store(&closed, 1);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, client, NULL);
	pthread_create(&t2, NULL, closer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
