/*
 * check-name: a thread that calls exit() is never joined: main() does not go on
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stop, done;

static void *set(void *arg)
{
	pthread_mutex_lock(&m);
	stop = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *work(void *arg)
{
	int v;

	pthread_mutex_lock(&m);
	v = stop;
	if (!v)
		done = 1;
	pthread_mutex_unlock(&m);
	if (v)
		exit(0);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, work, NULL);
	pthread_create(&u, NULL, set, NULL);
	pthread_join(t, NULL);
	pthread_mutex_lock(&m);
	assert(done);
	pthread_mutex_unlock(&m);
	pthread_join(u, NULL);
	return 0;
}
