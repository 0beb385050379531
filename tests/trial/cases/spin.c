/*
 * check-name: a flag that is waited for in a loop, and atomic operations
 * seeds: 10
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag, tickets;

static void *work(void *arg)
{
	int mine = atomic_fetch_add(&tickets, 1);

	while (atomic_load(&flag) != mine)
		;
	printf("%d is %d\n", (int)(long)arg, mine);
	atomic_store(&flag, mine + 1);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return atomic_load(&flag);
}
