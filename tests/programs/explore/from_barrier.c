/*
 * check-name: threads in lock-step: one order of a barrier, not two to the power of threads
 * check-command: heddle explore -- $exe
 * check-run: --from work:$step@T1,work:$step@T2 --max-branches 5 => any
 * check-run: --from work:$step@T1,work:$step@T2 --max-branches 5 --no-invariants => any
 * check-order: 1, 2
 */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 2 };
static pthread_barrier_t bar;
static int steps = 3;

static void *work(void *arg)
{
	long sum = (long)arg;

	for (int k = 0; k < steps; k++) {
		sum += k; /* AT: step */
		pthread_barrier_wait(&bar);
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	(void)argv;
	if (argc > 1)
		steps = argc;
	pthread_barrier_init(&bar, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
