/* Without regard to data the assertion could fail; with it, it cannot: money only moves. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a = 50, b = 50;

static void *move(void *amount)
{
	pthread_mutex_lock(&m);
	a -= *(int *)amount;
	b += *(int *)amount;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	int amounts[2] = {10, 20};
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, move, &amounts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(a + b == 100);
	return 0;
}
