/*
 * check-name: a thread that waits in a loop lets the others run, also when it is the first to
 * drive: --step 0:1
 * expect: fate exited 0
 * expect: diverged 0
 * drive: --mode pct --seed 3 --depth 2 --length 50
 * expect: fate exited 0
 * drive: --mode random --seed 5
 * expect: fate exited 0
 * drive: --mode free
 * expect: fate exited 0
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *set(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, set, NULL);
	while (!atomic_load(&flag))
		;
	pthread_join(t, NULL);
	return 0;
}
