/*
 * check-name: a counter without a lock loses updates; an assertion says so
 * check-command: heddle exec --seeds=100 --switch=access -- $exe
 * check-exit: 66
 * check-error-contains: assertion failure
 * check-error-contains: Assertion `counter == 20' failed
 */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *count(void *arg)
{
	for (int i = 0; i < 10; i++)
		counter++;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(counter == 20);
	return 0;
}
