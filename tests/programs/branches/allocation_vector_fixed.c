/*
 * check-name: allocation vector: found and marked in one lock region; who has which block is open
 * check-command: heddle branches -- $exe
 * check-branch: unclear free
 * check-branch: not found
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int used[BLOCKS];

static int allocate(void)
{
	int found = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < BLOCKS; i++) {
		if (!used[i]) { /* BRANCH: free */
			used[i] = 1;
			found = i;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void *worker(void *arg)
{
	if (allocate() < 0) /* BRANCH: found */
		abort();
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	natural(1);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
