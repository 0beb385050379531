/*
 * check-name: numbers that threads take from a counter under a lock are in range and distinct
 * check-command: heddle explore -- $exe
 * check-run: --from main>work:$own@T0,work:$own@T1 => any
 * check-run: --from main>work:$own@T0,work:$own@T1 --no-invariants => global-buffer-overflow range, assert distinct, deadlock *
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long next;
static int slot[2];
static pthread_barrier_t b;

static void *work(void *arg)
{
	long me;

	pthread_mutex_lock(&m);
	me = next++;
	pthread_mutex_unlock(&m);
	slot[me] = 0; /* AT: own */ /* BUG: range */
	pthread_barrier_wait(&b);
	slot[me]++; /* BUG: range */
	pthread_barrier_wait(&b);
	assert(slot[0] == 1 && slot[1] == 1); /* BUG: distinct */
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return 0;
}
