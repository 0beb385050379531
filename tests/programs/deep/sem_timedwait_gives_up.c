/*
 * check-name: a wait for a semaphore times out right before the failure
 * check-command: heddle check --deep -- $exe
 * check-finds: assert late
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static sem_t done;

static void *work(void *arg)
{
	sem_post(&done);
	return arg;
}

static void *wait_for_work(void *arg)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 2;
	if (sem_timedwait(&done, &end))
		abort(); /* BUG: late */
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	pthread_create(&u, NULL, wait_for_work, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
