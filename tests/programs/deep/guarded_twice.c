/*
 * check-name: two decisions, one behind the other, that the recorded run takes otherwise
 * check-command: heddle check --deep -- $exe
 * check-finds: assert between
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b, c;

static void *writer(void *arg)
{
	natural(1);
	atomic_store(&a, 1);
	atomic_store(&b, 1);
	atomic_store(&b, 0);
	atomic_store(&c, 1);
	return arg;
}

static void *reader(void *arg)
{
	if (atomic_load(&a)) {
		if (atomic_load(&b)) {
			int seen = atomic_load(&c);

			assert(seen == 0); /* BUG: between */
		}
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
