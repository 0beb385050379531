/*
 * check-name: a count is looked at between naps until all have come
 * check-command: heddle branches -- $exe
 * check-branch: adhoc poll
 * check-branch: not all
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int finished, sum;

static int all_finished(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = finished;
	pthread_mutex_unlock(&lock);
	return n == N;
}

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	sum += 5;
	finished++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	while (!all_finished()) /* BRANCH: poll */
		usleep(1000);
	if (sum != 10) /* BRANCH: all */
		abort();
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
