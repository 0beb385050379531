/* Two threads that check and act, and an input: the failure needs both. The locks can be taken crosswise. */
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static unsigned char request;
static int used;

static int left(void)
{
	int k;

	pthread_mutex_lock(&m);
	k = 9 - used;
	pthread_mutex_unlock(&m);
	return k;
}

static void *worker(void *second)
{
	if (left() >= request) {
		pthread_mutex_lock(&m);
		used += request;
		pthread_mutex_unlock(&m);
	}
	if (request == 3) {
		pthread_mutex_lock(second ? &n : &m);
		pthread_mutex_lock(second ? &m : &n);
		pthread_mutex_unlock(&n);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	heddle_input(&request, sizeof request, "request");
	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, worker, &used);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(used <= 9);
	return 0;
}
