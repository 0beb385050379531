/*
 * check-name: five looks at a counter that must find 1, 2, 3, 4 and 5: one schedule in many
 * check-command: heddle check --deep -- $exe
 * check-finds: assert open
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { DIGITS = 5 };
static atomic_int dial, opened;

static void *turner(void *arg)
{
	natural(1);
	for (int i = 1; i <= DIGITS; i++)
		atomic_store(&dial, i);
	atomic_store(&opened, 1);
	return arg;
}

static void *listener(void *arg)
{
	int i = 0;

	while (i < DIGITS && atomic_load(&dial) == i + 1)
		i++;
	if (i == DIGITS)
		assert(atomic_load(&opened)); /* BUG: open */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, turner, NULL);
	pthread_create(&t2, NULL, listener, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
