/*
 * check-name: a list node is read, removed and freed under the lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;
static int seen;

static void *reader(void *arg)
{
	struct node *n;

	pthread_mutex_lock(&lock);
	n = head;
	forced(2);
	seen = n->value;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *remover(void *arg)
{
	struct node *n;

	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	n = head;
	head = n->next;
	pthread_mutex_unlock(&lock);
	free(n);
	return arg;
}

int main(void)
{
	static struct node last = {2, NULL};
	pthread_t t1, t2;

	head = malloc(sizeof(*head));
	head->value = 1;
	head->next = &last;
	pthread_create(&t1, NULL, reader, NULL);
	pthread_create(&t2, NULL, remover, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return seen < 1;
}
