/*
 * check-name: two dials that two threads turn; the bolt moves only for 3 on the one and then 2 on the other
 * check-command: heddle check --deep -- $exe
 * check-finds: assert bolt
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left, right, bolt;

static void *turner(void *arg)
{
	atomic_int *dial = arg;

	natural(1);
	for (int i = 1; i <= 5; i++)
		atomic_store(dial, i);
	return NULL;
}

static void *listener(void *arg)
{
	if (atomic_load(&left) == 3) {
		if (atomic_load(&right) == 2) {
			if (atomic_load(&left) == 4) {
				atomic_store(&bolt, 1);
				if (atomic_load(&right) == 2)
					atomic_store(&bolt, 2);
			}
		}
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, turner, &left);
	pthread_create(&t2, NULL, turner, &right);
	pthread_create(&t3, NULL, listener, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	assert(atomic_load(&bolt) != 2); /* BUG: bolt */
	return 0;
}
