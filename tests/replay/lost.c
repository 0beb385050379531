/* An update gets lost when the other thread comes between the read and the write. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
	int seen;

	if (LOCKED)
		pthread_mutex_lock(&lock);
	seen = counter;
	counter = seen + 1;
	if (LOCKED)
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("counter %d\n", counter);
	fflush(stdout);
	assert(counter == 2);
	return 0;
}
