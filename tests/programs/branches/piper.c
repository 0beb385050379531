/*
 * check-name: piper: passengers in a ring; the waits are right, but a seat counts as taken before somebody sits in it
 * check-command: heddle branches -- $exe
 * check-branch: any full
 * check-branch: any empty
 * check-branch: unclear fill
 * check-branch: bug ghost
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { SEATS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int passengers[SEATS], first, last;

static void *fill_plane(void *arg)
{
	int at;

	pthread_mutex_lock(&lock);
	while ((last + 1) % SEATS == first) /* BRANCH: full */
		pthread_cond_wait(&changed, &lock);
	at = last;
	last = (at + 1) % SEATS;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	passengers[at] = (int)(long)arg; /* BRANCH: fill */
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *empty_plane(void *arg)
{
	pthread_mutex_lock(&lock);
	while (first == last) /* BRANCH: empty */
		pthread_cond_wait(&changed, &lock);
	if (passengers[first] == 0) /* BRANCH: ghost */
		abort();
	passengers[first] = 0;
	first = (first + 1) % SEATS;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, fill_plane, (void *)1);
	natural(1);
	pthread_create(&t2, NULL, empty_plane, NULL);
	natural(1);
	pthread_create(&t3, NULL, fill_plane, (void *)2);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
