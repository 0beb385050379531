/*
 * check-name: threads that sleep for different times wake in that order
 * check-seeds: 100
 * check-output:
 * 1 2 3 4
 * slept at least as long: yes
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[4], n, too_short;

static void nap(int k, long ms)
{
	struct timespec t = {0, ms * 1000000};

	switch (k) {
	case 1: nanosleep(&t, NULL); break;
	case 2: usleep((useconds_t)ms * 1000); break;
	default: clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL); break;
	}
}

static void *run(void *arg)
{
	int k = *(int *)arg;
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	nap(k, 50 * k);
	clock_gettime(CLOCK_MONOTONIC, &to);
	pthread_mutex_lock(&lock);
	order[n++] = k;
	long ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
	too_short += ms < 50 * k;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	int k[4] = {3, 1, 4, 2};

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, &k[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d %d %d %d\n", order[0], order[1], order[2], order[3]);
	printf("slept at least as long: %s\n", too_short ? "no" : "yes");
	return 0;
}
