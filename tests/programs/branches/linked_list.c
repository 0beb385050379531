/*
 * check-name: linked list: nodes are put in at the end under a lock, and counted when all is done
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not count
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { EACH = 2 };
struct node {
	struct node *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head, nodes[2 * EACH];
static int count;

static void *adder(void *arg)
{
	struct node *n = arg;

	for (int i = 0; i < EACH; i++) {
		pthread_mutex_lock(&lock);
		n[i].next = head;
		head = &n[i];
		count++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, adder, nodes);
	pthread_create(&t2, NULL, adder, nodes + EACH);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	if (count != 2 * EACH) /* BRANCH: count */
		abort();
	return 0;
}
