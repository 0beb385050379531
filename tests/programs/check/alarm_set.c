/*
 * check-name: a signal that a timer sends may come at any moment: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'alarm' (alarm_set.c:33) was not reordered: the delivery of signals is not modelled
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t half, seen;

static void handler(int number)
{
	seen |= half && number == SIGALRM;
}

static void *worker(void *arg)
{
	half = 1;
	half = 0;
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGALRM, handler);
	alarm(100);
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	assert(!seen);
	return 0;
}
