/* One thread and main: a lock taken crosswise for one input, a value that depends on the order. */
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static unsigned char request;
static int value;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	value = 1;
	if (request == 3) {
		pthread_mutex_lock(&n);
		pthread_mutex_unlock(&n);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	heddle_input(&request, sizeof request, "request");
	pthread_create(&t, NULL, work, NULL);
	pthread_mutex_lock(&n);
	pthread_mutex_lock(&m);
	value *= 2;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	pthread_join(t, NULL);
	assert(request < 200 || value == 2);
	return 0;
}
