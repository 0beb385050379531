/*
 * check-name: a function returns although the thread that it started uses its variable
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: stack-use-after-return use
 * check-force: no, the memory of the variable stays accessible
 */
#include "order.h"
#include <pthread.h>

static int seen;

static void *use(void *arg)
{
	seen = *(int *)arg; /* BUG: use */
	return NULL;
}

__attribute__((noinline)) static pthread_t start(int n)
{
	int value = n;
	pthread_t t;

	pthread_create(&t, NULL, use, &value);
	natural(1);
	return t;
}

int main(int argc, char **argv)
{
	pthread_t t = start(argc);

	(void)argv;
	pthread_join(t, NULL);
	return seen == argc ? 0 : 1;
}
