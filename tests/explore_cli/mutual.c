/* Nothing is wrong with two threads that lock twice each. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *work(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		value++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	assert(value == 4);
	return 0;
}
