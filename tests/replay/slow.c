/* Computes for some seconds without a scheduling point: a run that the clock ends is slow, not stuck. */
#include <pthread.h>
#include <stdint.h>

static void *compute(void *arg)
{
	volatile uint64_t x = 1;

	for (uint64_t i = 0; i < 20000000000u; i++)
		x = x * 3 + i;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, compute, NULL);
	pthread_join(t, NULL);
	return 0;
}
