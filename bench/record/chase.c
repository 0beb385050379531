/* Pointer chasing: two threads walk long lists that were built before they start, in an order
 * that no cache likes, and now and then write what they pass. Argument: rounds through the lists.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1 << 19, THREADS = 2 };

struct node {
	struct node *next;
	unsigned weight, visits[THREADS];
	char pad[40];
};

static struct node *nodes, *head;
static long rounds;

static void build(void)
{
	unsigned *order = malloc(NODES * sizeof *order);
	unsigned long x = 88172645463325252ul;

	nodes = calloc(NODES, sizeof *nodes);
	if (!nodes || !order)
		abort();
	for (unsigned i = 0; i < NODES; i++)
		order[i] = i;
	for (unsigned i = NODES - 1; i > 0; i--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		unsigned j = x % (i + 1), o = order[i];
		order[i] = order[j];
		order[j] = o;
	}
	for (unsigned i = 0; i < NODES; i++) {
		nodes[order[i]].next = i + 1 < NODES ? &nodes[order[i + 1]] : NULL;
		nodes[order[i]].weight = i * 7 + 1;
	}
	head = &nodes[order[0]];
	free(order);
}

static void *work(void *arg)
{
	long me = (long)arg;
	unsigned long sum = 0;

	for (long r = 0; r < rounds; r++)
		for (struct node *n = head; n; n = n->next) {
			sum += n->weight;
			if ((n->weight & 15) == 1)
				n->visits[me]++;
		}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	unsigned long sum = 0;

	rounds = argc > 1 ? atol(argv[1]) : 12;
	build();
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *r;

		pthread_join(t[i], &r);
		sum += (unsigned long)r;
	}
	for (int i = 0; i < NODES; i++)
		sum += nodes[i].visits[0] * 3ul + nodes[i].visits[1];
	printf("%lu\n", sum);
	return 0;
}
