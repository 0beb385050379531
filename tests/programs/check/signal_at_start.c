/*
 * check-name: a signal reaches a thread before its first instruction
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-finds: nothing
 * check-output-contains: the delivery of signals is not modelled
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int hits;

static void count(int signo)
{
	(void)signo;
	atomic_fetch_add(&hits, 1);
}

static void *work(void *arg)
{
	atomic_fetch_add(&hits, 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, count);
	pthread_create(&t, NULL, work, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	return 0;
}
