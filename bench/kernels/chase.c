/* Pointer chasing through a shuffled ring of 4,096 nodes: dependent loads. */
#include <stdio.h>

enum { N = 4096, STEPS = 2000000 };
struct node {
	struct node *next;
	long weight;
};
static struct node ring[N];

int main(void)
{
	unsigned at = 0, step = 1663; /* prime to N: one ring through all nodes */
	struct node *p = ring;
	long sum = 0;

	for (int i = 0; i < N; i++) {
		unsigned to = (at + step) % N;

		ring[at].next = &ring[to];
		ring[at].weight = (long)(at % 17);
		at = to;
	}
	for (int i = 0; i < STEPS; i++) {
		sum += p->weight;
		p = p->next;
	}
	printf("%d\n", (int)sum);
	return 0;
}
