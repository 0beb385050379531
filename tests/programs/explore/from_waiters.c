/*
 * check-name: who waits longest is not known: a signal may wake either
 * check-command: heddle explore -- $exe
 * check-run: --from one>await:$wait@T1@wait,two>await:$wait@T2@wait,set:$signal@T3 => assert first, assert second
 * check-run: --from one>await:$wait@T1@wait,two>await:$wait@T2@wait,set_all:$all@T3 => assert first, assert second
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, woken;

static int await(void)
{
	int k;

	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m); /* AT: wait */
	k = ++woken;
	pthread_mutex_unlock(&m);
	return k;
}

static void *one(void *arg)
{
	assert(await() != 1); /* BUG: first */
	return arg;
}

static void *two(void *arg)
{
	assert(await() != 1); /* BUG: second */
	return arg;
}

static void *set(void *arg)
{
	woken = 0; /* AT: signal */
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *set_all(void *arg)
{
	woken = 0; /* AT: all */
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	(void)argv;
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_create(&t[2], NULL, argc > 1 ? set : set_all, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
