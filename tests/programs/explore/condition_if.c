/*
 * check-name: a wait without a loop, on one input
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert item
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items;
static unsigned char command;

static void *consumer(void *arg)
{
	pthread_mutex_lock(&m);
	while (!items) {
		pthread_cond_wait(&c, &m);
#ifndef CORRECT
		if (command == 'o')
			break;
#endif
	}
	items--;
	assert(items >= 0); /* BUG: item */
	pthread_mutex_unlock(&m);
	return arg;
}

static void put(void)
{
	pthread_mutex_lock(&m);
	items++;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
}

int main(void)
{
	pthread_t t[2];

	if (read(0, &command, 1) != 1)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, consumer, NULL);
	put();
	put();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
