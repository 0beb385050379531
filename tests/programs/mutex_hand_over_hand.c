/*
 * check-name: a sorted list locked hand over hand, with insertion and removal on the heap
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 0 1 2 4 5 7 8 10 11 13 14 16 17
 * removed 5 of 6
 * check-output-end
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	pthread_mutex_t lock;
	int key;
	struct node *next;
};

static struct node head = {PTHREAD_MUTEX_INITIALIZER, -1, NULL};

static struct node *new_node(int key)
{
	struct node *n = malloc(sizeof(*n));

	pthread_mutex_init(&n->lock, NULL);
	n->key = key;
	return n;
}

/* The last node with a smaller key, locked. */
static struct node *find(int key)
{
	struct node *at = &head;

	pthread_mutex_lock(&at->lock);
	while (at->next && at->next->key < key) {
		struct node *next = at->next;
		pthread_mutex_lock(&next->lock);
		pthread_mutex_unlock(&at->lock);
		at = next;
	}
	return at;
}

static void insert(int key)
{
	struct node *n = new_node(key), *before = find(key);

	n->next = before->next;
	before->next = n;
	pthread_mutex_unlock(&before->lock);
}

static bool remove_key(int key)
{
	struct node *before = find(key), *n = before->next;
	bool found = n && n->key == key;

	if (found) {
		pthread_mutex_lock(&n->lock);
		before->next = n->next;
		pthread_mutex_unlock(&n->lock);
		pthread_mutex_destroy(&n->lock);
		free(n);
	}
	pthread_mutex_unlock(&before->lock);
	return found;
}

static void *insert_third(void *arg)
{
	for (int k = *(int *)arg; k < 18; k += 3)
		insert(k);
	return NULL;
}

static void *remove_some(void *arg)
{
	int *removed = arg;

	for (int k = 3; k <= 18; k += 3)
		*removed += remove_key(k);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	int first[2] = {1, 2}, removed = 0, zero = 0;
	const char *space = "";

	insert_third(&zero);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, insert_third, &first[i]);
	pthread_create(&t[2], NULL, remove_some, &removed);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	for (struct node *n = head.next, *next; n; n = next, space = " ") {
		printf("%s%d", space, n->key);
		next = n->next;
		pthread_mutex_destroy(&n->lock);
		free(n);
	}
	printf("\nremoved %d of 6\n", removed);
	return 0;
}
