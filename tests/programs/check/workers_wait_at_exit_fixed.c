/*
 * check-name: workers wait for jobs with signals on their way when the program exits
 * check-command: heddle check --jobs=2 -- $exe
 * check-exit: 3
 * check-finds: nothing
 * check-output-contains: the program ended while 3 of its threads still ran
 * check-output-excludes: no answer
 * check-output-excludes: died
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, ready = PTHREAD_COND_INITIALIZER;
static int jobs, done, up;

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	up++;
	pthread_cond_signal(&ready);
	for (;;) {
		while (!jobs)
			pthread_cond_wait(&work, &lock);
		jobs--;
		done++;
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	while (up < 3)
		pthread_cond_wait(&ready, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		jobs++;
		pthread_cond_signal(&work);
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
	usleep(20000);
	exit(0);
}
