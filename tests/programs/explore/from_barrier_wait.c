/*
 * check-name: two threads wait at a barrier for the third
 * check-command: heddle explore -- $exe
 * check-run: --from work:$meet@T1@wait,work:$meet@T2@wait,work:$meet@T3 => 6
 * check-run: --from work:$meet@T1@wait,work:$meet@T2@wait => 1, "returned"
 */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3 };
static pthread_barrier_t bar;
static int serial;

static void *work(void *arg)
{
	serial = 0;
	if (pthread_barrier_wait(&bar)) /* AT: meet */
		__atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	pthread_barrier_init(&bar, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
