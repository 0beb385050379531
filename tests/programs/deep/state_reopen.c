/*
 * check-name: a channel that is closed is opened again by whoever needs it; its buffer comes later
 * check-command: heddle check --deep -- $exe
 * check-finds: null buffer
 */
#include "../check/order.h"
#include <pthread.h>
#include <stddef.h>

enum { CLOSED, OPEN };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int state = OPEN;
static char memory[8];
static char *volatile buffer = memory;

static void reopen(void)
{
	pthread_mutex_lock(&lock);
	state = OPEN;
	pthread_mutex_unlock(&lock);
}

static void *writer(void *arg)
{
	int s;

	pthread_mutex_lock(&lock);
	s = state;
	pthread_mutex_unlock(&lock);
	if (s == CLOSED) {
		reopen();
		pthread_mutex_lock(&lock);
		buffer[0] = 'x'; /* BUG: buffer */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *closer(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	state = CLOSED;
	buffer = NULL;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	pthread_create(&t2, NULL, closer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
