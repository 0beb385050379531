/*
 * check-name: a queue that runs over in one order
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: global-buffer-overflow put
 */
#include <pthread.h>
#include <unistd.h>

enum { SIZE = 2 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int queue[SIZE], n;
static unsigned char items;

static void *producer(void *arg)
{
	for (int i = 0; i < items; i++) {
		pthread_mutex_lock(&m);
#ifdef CORRECT
		if (n < SIZE)
#endif
			queue[n++] = i; /* BUG: put */
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *consumer(void *arg)
{
	pthread_mutex_lock(&m);
	if (n > 0)
		n--;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	if (read(0, &items, 1) != 1 || items > 3)
		return 1;
	pthread_create(&t[0], NULL, producer, NULL);
	pthread_create(&t[1], NULL, consumer, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
