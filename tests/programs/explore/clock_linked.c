/*
 * check-name: a clock that no path reads does not keep orders apart
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-run: --switch sync => any
 * check-run: --no-merge => any
 * check-order: 1, 2
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
	if (argc > 1)
		clock_gettime(CLOCK_MONOTONIC, &now);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert(sum == 2 * THREADS);
	return now.tv_sec > 0;
}
