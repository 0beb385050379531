/*
 * check-name: two threads in the rounds of a barrier: long counters, two of them, a step from a variable
 * check-command: heddle explore -- $exe
 * check-run: --from main>work:$step@T0,work:$step@T1 --max-branches 10 --preemptions 1 => any
 * check-run: --from main>work:$half@T0,work:$half@T1 --max-branches 10 --preemptions 1 => any
 * check-run: --from main>work:$step@T0,work:$step@T1 --max-branches 10 --preemptions 1 --no-invariants => assert same, deadlock *
 * check-run: --from main>open:$open@T0,open:$open@T1 --max-branches 10 --preemptions 1 => assert different
 * check-run: --from main>own:$own@T0,own:$own@T1 --max-branches 10 --preemptions 1 => assert unequal, deadlock *
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static long P = 2, n = 16, bs = 4;
static pthread_barrier_t bar, narrow, pair;
static long at[2], round_of[2];

/* the shape of lu: each thread is in the same round */
static void *work(void *arg)
{
	long me = arg != NULL;

	for (long k = 0, K = 0; k < n; k += bs, K++) {
		at[me] = k; /* AT: step */
		round_of[me] = K;
		pthread_barrier_wait(&bar);
		assert(at[0] == at[1] && round_of[0] == round_of[1]); /* BUG: same */
		pthread_barrier_wait(&bar);
		at[me] = 0; /* AT: half */
	}
	return arg;
}

/* more threads than the barrier needs: two of them may be in different rounds */
static void *open(void *arg)
{
	long me = arg != NULL;

	for (long k = 0; k < n; k += bs) {
		at[me] = k; /* AT: open */
		pthread_barrier_wait(&narrow);
		assert(at[0] == at[1]); /* BUG: different */
		pthread_barrier_wait(&narrow);
	}
	return arg;
}

/* each thread has a step of its own: the same round, but different counters */
static void *own(void *arg)
{
	long me = arg != NULL, step = me + 1;

	for (long k = 0; k < n; k += step) {
		at[me] = k; /* AT: own */
		pthread_barrier_wait(&pair);
		assert(at[0] == at[1]); /* BUG: unequal */
		pthread_barrier_wait(&pair);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[8];

	if (argc > 1)
		n = atol(argv[1]);
	if (argc > 2)
		bs = atol(argv[2]);
	pthread_barrier_init(&bar, NULL, (unsigned)P);
	pthread_barrier_init(&narrow, NULL, 2);
	pthread_barrier_init(&pair, NULL, 2);
	if (argc > 4) {
		for (long i = 0; i < P; i++)
			pthread_create(&t[i], NULL, open, &at);
		open(NULL);
	} else if (argc > 3) {
		pthread_create(&t[0], NULL, own, &at);
		own(NULL);
	} else {
		for (long i = 0; i < P - 1; i++)
			pthread_create(&t[i], NULL, work, &at);
		work(NULL);
	}
	return 0;
}
