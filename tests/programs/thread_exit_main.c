/*
 * check-name: main leaves by pthread_exit; the process ends with its last thread, status 0
 * check-seeds: 100
 * check-exit: 0
 * check-output:
 * first half
 * second half
 * at exit
 * check-output-end
 *
 * ThreadSanitizer cannot run this: it does not let anybody join main.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t main_thread;

static void *last(void *arg)
{
	pthread_join(main_thread, NULL);
	printf("%s\n", (const char *)arg);
	return (void *)1;
}

static void goodbye(void)
{
	printf("at exit\n");
}

int main(void)
{
	pthread_t t;

	atexit(goodbye);
	main_thread = pthread_self();
	pthread_create(&t, NULL, last, "second half");
	pthread_detach(t);
	printf("first half\n");
	pthread_exit((void *)2);
}
