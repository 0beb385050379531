/* Correct: a stack under a lock. The second thread gets the memory that the first one gave back. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct node {
	struct node *next;
	int value;
};
static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int value)
{
	struct node *n = malloc(sizeof(*n));

	n->value = value;
	pthread_mutex_lock(&lock);
	n->next = head;
	head = n;
	pthread_mutex_unlock(&lock);
}

static int pop(void)
{
	struct node *n;
	int value = 0;

	pthread_mutex_lock(&lock);
	n = head;
	if (n)
		head = n->next;
	pthread_mutex_unlock(&lock);
	if (n)
		value = n->value;
	free(n);
	return value;
}

static void *worker(void *arg)
{
	if (arg)
		usleep(60000);
	push(1);
	pop();
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, worker, NULL);
	pthread_create(&t2, NULL, worker, &head);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
