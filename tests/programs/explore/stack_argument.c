/*
 * check-name: the function that starts a thread returns before the thread reads its argument
 * check-command: heddle explore -- $exe
 * check-finds: stack-use-after-return use
 */
#include <pthread.h>

static int seen;

static void *work(void *arg)
{
	seen = *(int *)arg; /* BUG: use */
	return NULL;
}

static __attribute__((noinline)) pthread_t start(int n)
{
	pthread_t t;
	int copy = n;

	pthread_create(&t, NULL, work, &copy);
#ifdef CORRECT
	pthread_join(t, NULL);
#endif
	return t;
}

int main(int argc, char **argv)
{
	pthread_t t = start(argc);

	(void)argv;
#ifndef CORRECT
	pthread_join(t, NULL);
#endif
	return seen == argc ? 0 : 1;
}
