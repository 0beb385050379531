/*
 * check-name: a barrier lets nobody pass before all are there, and then in any order
 * drive: --step 0:3 --step 1:1 --step 2:1 --step 2:4 --step 1:4
 * expect: diverged 0
 * expect: fate exited 21
 * drive: --step 0:3 --step 1:1 --step 2:1 --step 1:4 --step 2:4
 * expect: diverged 0
 * expect: fate exited 12
 * drive: --step 0:3 --step 1:2
 * expect: diverged 1
 * expect: text segment 1: thread 1 does not reach its scheduling point 2, it is before point 1: it is blocked
 * expect: wait 1 barrier-leave point 1 holder -1
 */
#include <pthread.h>

static pthread_barrier_t b;
static int order;

static void *meet(void *arg)
{
	pthread_barrier_wait(&b);
	order = order * 10 + *(int *)arg;
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	static int ids[] = {1, 2};

	pthread_barrier_init(&b, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, meet, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return order;
}
