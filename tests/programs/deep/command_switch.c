/*
 * check-name: of three commands only the one that the recorded run never sees is wrong
 * check-command: heddle check --deep -- $exe
 * check-finds: assert drained
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NONE, FLUSH, STOP };
static atomic_int command, pending = 1, flushed;

static void *boss(void *arg)
{
	natural(1);
	atomic_store(&command, FLUSH);
	atomic_store(&command, STOP);
	atomic_store(&pending, 0);
	return arg;
}

static void *worker(void *arg)
{
	switch (atomic_load(&command)) {
	case NONE:
		break;
	case FLUSH:
		atomic_store(&flushed, 1);
		break;
	case STOP:
		assert(atomic_load(&pending) == 0); /* BUG: drained */
		break;
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, boss, NULL);
	pthread_create(&t2, NULL, worker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
