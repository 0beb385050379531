/*
 * check-name: whichever thread ends the process first
 * explore:
 * seeds: 10
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void bye(void)
{
	puts("bye");
}

static void *ender(void *arg)
{
	pthread_mutex_lock(&m);
	exit((int)(long)arg);
}

int main(void)
{
	pthread_t t, u;

	atexit(bye);
	pthread_create(&t, 0, ender, (void *)3);
	pthread_create(&u, 0, ender, (void *)4);
	pthread_mutex_lock(&m);
	return 5;
}
