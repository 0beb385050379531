/*
 * check-name: a thread ignores a signal that another one raises: the order decides, and there is no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'raise' (signal_ignored.c:21) was not reordered: the delivery of signals is not modelled
 */
#include "order.h"
#include <pthread.h>
#include <signal.h>

static void *ignores(void *arg)
{
	signal(SIGUSR1, SIG_IGN);
	return arg;
}

static void *raises(void *arg)
{
	natural(1);
	raise(SIGUSR1);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, ignores, NULL);
	pthread_create(&u, NULL, raises, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
