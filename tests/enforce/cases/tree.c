/*
 * check-name: threads of threads have their names, whoever is first
 * drive: --names 0.0,0.1,1.0,1.1,2.0 --step 0:2 --step 2:1 --step 1:2 --step 5:1 --step 4:1 --step 3:1
 * expect: diverged 0
 * expect: fate exited 0
 * expect: count 5 2 0 1
 * drive: --names 0.0,0.1 --step 0:2 --step 2:2 --step 1:2
 * expect: diverged 0
 * expect: count 3 2 0 1
 * expect: count 4 2 1 1
 * expect: count 5 1 0 1
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int made;

static void *leaf(void *arg)
{
	__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
	return arg;
}

static void *node(void *arg)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, leaf, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, node, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return made - 4;
}
