/*
 * check-name: main() returns, and a handler frees what a thread still uses
 * check-command: heddle check --deep -- $exe
 * check-finds: use-after-free here
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *p;

static void clean(void)
{
	pthread_mutex_lock(&m);
	free(p);
	pthread_mutex_unlock(&m);
}

static void *use(void *arg)
{
	natural(2);
	pthread_mutex_lock(&m);
	*p = 1; /* BUG: here */
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	p = malloc(sizeof *p);
	atexit(clean);
	pthread_create(&t, NULL, use, NULL);
	return 0;
}
