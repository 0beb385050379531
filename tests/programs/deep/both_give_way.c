/*
 * check-name: each gives way when it sees the other; if both do, the work is left
 * check-command: heddle check --deep -- $exe
 * check-finds: assert done
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], done;

static void *worker(void *arg)
{
	int me = (int)(long)arg;

	atomic_store(&wants[me], 1);
	if (!atomic_load(&wants[1 - me]))
		atomic_fetch_add(&done, 1);
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, (void *)0);
	natural(1);
	pthread_create(&t2, NULL, worker, (void *)1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(atomic_load(&done) > 0); /* BUG: done */
	return 0;
}
