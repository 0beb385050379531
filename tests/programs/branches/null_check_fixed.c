/*
 * check-name: a handler is looked for once, and used while the lock is held
 * check-command: heddle branches -- $exe
 * check-branch: unclear check
 * check-branch: not use
 */
#include "../check/order.h"
#include <pthread.h>
#include <stddef.h>

struct handler {
	int calls;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handler the_handler;
static struct handler *handler = &the_handler;

static void *event(void *arg)
{
	pthread_mutex_lock(&lock);
	if (handler != NULL) /* BRANCH: check */
		handler->calls++; /* BRANCH: use */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *remover(void *arg)
{
	pthread_mutex_lock(&lock);
	handler = NULL;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, event, NULL);
	natural(1);
	pthread_create(&t2, NULL, remover, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
