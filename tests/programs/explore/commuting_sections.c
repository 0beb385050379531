/*
 * check-name: critical sections that commute by value are explored in few orders
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-timeout: 30
 * check-run: --switch sync => any
 * check-run: --preemptions 100 => any
 * check-order: 1, 2
 */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 2 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&m);
		sum++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert(sum == THREADS * ROUNDS);
	return 0;
}
