/*
 * check-name: a flag is passed on through five threads, against the order in which they run
 * check-command: heddle check --deep -- $exe
 * check-finds: assert end
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { N = 5 };
static atomic_int flag[N + 1];

static void *pass_on(void *arg)
{
	int i = (int)(long)arg;

	if (atomic_load(&flag[i + 1]))
		atomic_store(&flag[i], 1);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (long i = 0; i < N; i++) {
		pthread_create(&t[i], NULL, pass_on, (void *)i);
		apart();
	}
	atomic_store(&flag[N], 1);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load(&flag[0]) == 0); /* BUG: end */
	return 0;
}
