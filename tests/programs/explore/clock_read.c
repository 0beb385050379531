/*
 * check-name: a clock that the last thread reads keeps all orders
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-run: --switch sync => 90
 * check-run: --no-merge => 90
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

enum { THREADS = 3 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		sum++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct timespec now = {0};
	pthread_t t[THREADS];

	(void)argv;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	if (argc > 0)
		clock_gettime(CLOCK_MONOTONIC, &now);
	assert(sum == 2 * THREADS);
	return now.tv_nsec < 0;
}
