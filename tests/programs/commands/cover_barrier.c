/*
 * check-name: a barrier is a marker, so that its loop needs none
 * check-command: heddle cover --show -- $exe
 * check-exit: 0
 * check-output-contains: 3 schedules in 2 epochs
 * check-output-contains: every input is covered
 * check-output-contains: marker: barrier in 'work'
 * check-output-excludes: marker: loop
 */
#include <pthread.h>

static pthread_barrier_t b;
static volatile int n = 2;

static void *work(void *arg)
{
	for (int i = 0; i < n; i++)
		pthread_barrier_wait(&b);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return 0;
}
