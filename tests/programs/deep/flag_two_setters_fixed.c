/*
 * check-name: two threads set one bit each, and a thread waits for both
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;

static void *setter(void *arg)
{
	atomic_fetch_or(&state, (int)(long)arg);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, setter, (void *)1);
	pthread_create(&u, NULL, setter, (void *)2);
	while (atomic_load(&state) != 3)
		;
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
