/*
 * check-name: a barrier that reverses its sense, passed twice
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
static atomic_int left = N, sense;
static int data[N];

static void barrier(int *mine)
{
	*mine = !*mine;
	if (atomic_fetch_sub(&left, 1) == 1) { /* BRANCH: last */
		atomic_store(&left, N);
		atomic_store(&sense, *mine);
	} else {
		while (atomic_load(&sense) != *mine) /* BRANCH: wait */
			sched_yield();
	}
}

static void *worker(void *arg)
{
	int me = (int)(long)arg, mine = 0;

	data[me]++;
	barrier(&mine);
	if (data[1 - me] != 1) /* BRANCH: data */
		abort();
	barrier(&mine);
	data[me]++;
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
