/*
 * check-name: the recorded run follows a null pointer
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: null pointer dereference
 * check-finds: null now
 * check-natural: SIGSEGV
 */
#include "order.h"
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int one = 1;
static int *volatile shared = &one;
static int seen;

static void *reader(void *arg)
{
	usleep(60000);
	pthread_mutex_lock(&lock);
	seen = *shared; /* BUG: now */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *closer(void *arg)
{
	pthread_mutex_lock(&lock);
	shared = NULL;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, reader, NULL);
	pthread_create(&t2, NULL, closer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return seen;
}
