/*
 * check-name: allocation vector: a free block is looked for in one lock region and marked in another
 * check-command: heddle branches -- $exe
 * check-branch: any free
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int used[BLOCKS];

static int find_free(void)
{
	int found = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < BLOCKS; i++) {
		if (!used[i]) { /* BRANCH: free */
			found = i;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void mark(int block)
{
	pthread_mutex_lock(&lock);
	if (used[block])
		abort();
	used[block] = 1;
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	mark(find_free());
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
