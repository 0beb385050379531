/*
 * check-name: a barrier made of a counter and a generation: the last one opens it for the others
 * check-command: heddle branches -- $exe
 * check-branch: adhoc last
 * check-branch: adhoc wait
 * check-branch: not data
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { N = 2 };
static atomic_int arrived, generation;
static int data[N];

static void barrier(void)
{
	int g = atomic_load(&generation);

	if (atomic_fetch_add(&arrived, 1) == N - 1) { /* BRANCH: last */
		atomic_store(&arrived, 0);
		atomic_store(&generation, g + 1);
		return;
	}
	while (atomic_load(&generation) == g) /* BRANCH: wait */
		sched_yield();
}

static void *worker(void *arg)
{
	int me = (int)(long)arg;

	data[me] = me + 1;
	barrier();
	if (data[1 - me] != 2 - me) /* BRANCH: data */
		abort();
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, (void *)0);
	pthread_create(&t2, NULL, worker, (void *)1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
