/*
 * check-name: the i-th handle of an array is that of the i-th created thread, unless it is written again
 * check-command: heddle explore -- $exe
 * check-run: --from main:$join@T0,work@T1,work@T2,work@T3 => 168
 * check-run: --from main:$join@T0,work:$use@T1,work:$use@T2,work:$use@T3 => any
 */
#include <assert.h>
#include <pthread.h>

enum { N = 3 };
static pthread_t tid[N];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int arg_of[N], slot[N];

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	slot[(int *)arg - arg_of] = 1; /* AT: use */
	return arg;
}

int main(void)
{
	for (int i = 0; i < N; i++)
		pthread_create(&tid[i], NULL, work, &arg_of[i]);
	for (int i = 0; i < N; i++) /* AT: join */
		pthread_join(tid[i], NULL);
	return 0;
}
