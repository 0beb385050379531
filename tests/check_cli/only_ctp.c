/*
 * What the maximal causal model cannot see: for the assertion to fail the second thread has to read
 * another value of x than it did, and still take the same way.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int x, y;

static void *first(void *arg)
{
	x = 5;
	y = 1;
	y = 0;
	x = 7;
	return arg;
}

static void *second(void *arg)
{
	usleep(50000);
	if (x > 3)
		assert(y == 0);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
