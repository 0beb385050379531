/*
 * check-name: threads that create threads: a sum over a tree of depth five
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * leaves 32, sum 496
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

struct node {
	int depth, first;
	int sum, leaves;
};

static void *visit(void *arg)
{
	struct node *n = arg;

	if (n->depth == 0) {
		n->sum = n->first;
		n->leaves = 1;
		return NULL;
	}
	struct node half[2] = {{n->depth - 1, n->first, 0, 0},
		{n->depth - 1, n->first + (1 << (n->depth - 1)), 0, 0}};
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, visit, &half[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	n->sum = half[0].sum + half[1].sum;
	n->leaves = half[0].leaves + half[1].leaves;
	return NULL;
}

int main(void)
{
	struct node root = {5, 0, 0, 0};

	visit(&root);
	printf("leaves %d, sum %d\n", root.leaves, root.sum);
	return 0;
}
