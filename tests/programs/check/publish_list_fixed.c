/*
 * check-name: a node has its value before it is in the list
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;

static void *adder(void *arg)
{
	struct node *n = calloc(1, sizeof(*n));

	n->value = 7;
	forced(2);
	pthread_mutex_lock(&lock);
	n->next = list;
	list = n;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reader(void *arg)
{
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	if (list)
		assert(list->value == 7);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, adder, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(list);
	return 0;
}
