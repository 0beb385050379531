/*
 * check-name: a baton goes through four hands and back, each under a lock, against the order of the threads
 * check-command: heddle check --deep -- $exe
 * check-finds: assert back
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

enum { N = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int baton, rounds;

static int take(int from, int to)
{
	int mine;

	pthread_mutex_lock(&lock);
	mine = baton == from;
	if (mine)
		baton = to;
	pthread_mutex_unlock(&lock);
	return mine;
}

static void *runner(void *arg)
{
	int me = (int)(long)arg;

	if (take(N - 1 - me, N - me)) {
		pthread_mutex_lock(&lock);
		rounds = rounds + 1;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (long i = 0; i < N; i++) {
		pthread_create(&t[i], NULL, runner, (void *)i);
		apart();
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(rounds < N); /* BUG: back */
	return 0;
}
