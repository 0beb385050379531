/*
 * check-name: three decisions in a row that the recorded run takes otherwise, each by another thread's write
 * check-command: heddle check --deep -- $exe
 * check-finds: assert all
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b, c, d;

static void *one(void *arg)
{
	natural(1);
	atomic_store(&a, 1);
	atomic_store(&d, 1);
	return arg;
}

static void *two(void *arg)
{
	natural(1);
	atomic_store(&b, 1);
	atomic_store(&c, 1);
	return arg;
}

static void *reader(void *arg)
{
	if (atomic_load(&a)) {
		if (atomic_load(&b)) {
			if (!atomic_load(&c)) {
				int seen = atomic_load(&d);

				assert(seen); /* BUG: all */
			}
		}
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, one, NULL);
	pthread_create(&t2, NULL, two, NULL);
	pthread_create(&t3, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
