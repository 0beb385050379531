/* Two decisions on one line: either half of the condition depends on the schedule. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ready, closed;

static void *setter(void *arg)
{
	atomic_store(&ready, 1);
	atomic_store(&closed, 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, setter, NULL);
	if (atomic_load(&ready) && !atomic_load(&closed))
		puts("between");
	pthread_join(t, NULL);
	return 0;
}
