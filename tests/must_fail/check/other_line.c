/*
 * check-name: a race that is found, but not where it is said to be
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: race here
 * check-allows: atomicity
 * check-force: tsan data race
 * must-fail: check-finds: no finding for 'race here'
 */
#include <pthread.h>
#include <unistd.h>

static int shared;

static void *worker(void *arg)
{
	shared++;
	return arg; /* BUG: here */
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	usleep(20000);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return shared < 1;
}
