/*
 * check-name: the counters of one loop step together, and a number that is read twice under the lock is the same
 * check-command: heddle explore -- $exe
 * check-run: --from work:$here@T1,work:$here@T2 => any
 * check-run: --from work:$here@T1,work:$here@T2 --no-reach => assert apart
 */
#include <assert.h>
#include <pthread.h>

enum { N = 40, STEP = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int id, slot[2];

static void *work(void *arg)
{
	int me, taken;

	pthread_mutex_lock(&lock);
	me = id;
	id++;
	pthread_mutex_unlock(&lock);
	taken = 0;
	for (int k = 3, K = 0, down = N; k < N; k += STEP, K++, down -= 2) {
		pthread_mutex_lock(&lock); /* AT: here */
		assert(k == 3 + STEP * K && down == N - 2 * K); /* BUG: apart */
		pthread_mutex_unlock(&lock);
		slot[me]++;
		taken += k;
		if (k > 8)
			break;
	}
	return taken ? arg : NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
