/* How long the worker is depends on the process: no schedule fits twice. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

static int shared;

static void *work(void *arg)
{
	unsigned char n = 0;

	if (getrandom(&n, 1, 0) != 1)
		abort();
	for (int i = 0; i < n; i++)
		shared++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", shared != 0);
	return 0;
}
