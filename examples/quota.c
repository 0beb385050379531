/*
 * check-name: quota: a bug that needs an input and a schedule
 * check-command: heddle explore --sym argv[1]:1 -- $exe
 * check-exit: 66
 * check-output-contains: confirmed by replay
 * check-output-contains: every path was executed to its end
 *
 * Two workers take space from a quota. Their check may be stale when they act on it, but only a
 * request that fits once and not twice shows that: a run with a small request passes under every
 * schedule. `heddle explore --sym argv[1]:1 -- ./quota` finds the input and the schedule.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 9 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used;
static int request;

static int space_left(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = LIMIT - used;
	pthread_mutex_unlock(&lock);
	return n;
}

static void *worker(void *unused)
{
	if (space_left() >= request) {
		pthread_mutex_lock(&lock);
		used += request;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	request = argc > 1 ? atoi(argv[1]) : 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("used %d\n", used);
	assert(used <= LIMIT);
	return 0;
}
