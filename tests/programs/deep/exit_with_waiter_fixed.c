/*
 * check-name: a thread waits for ever, until another one ends the process: no deadlock
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int never;

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	while (!never)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *end(void *arg)
{
	exit(0);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, wait, NULL);
	pthread_create(&u, NULL, end, NULL);
	pthread_join(t, NULL);
	return 0;
}
