/*
 * check-name: a handler hides the fault of an access to a freed block: no proof
 * check-command: heddle check --deep -- $exe
 * check-exit: 3
 * check-output-contains: whether run 1 misuses memory is not known: an access to memory failed, and the program went on
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int started;

static void leave(int signo)
{
	(void)signo;
	_exit(0);
}

static void *use(void *arg)
{
	volatile int *block = malloc(64);

	atomic_fetch_add(&started, 1);
	block[8] = 1;
	free((void *)block);
	block[8] = 2;
	return arg;
}

static void *count(void *arg)
{
	atomic_fetch_add(&started, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	signal(SIGSEGV, leave);
	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
