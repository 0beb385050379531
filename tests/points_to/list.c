/* linked lists made at two places, by a constructor and by hand */
#include "expect.h"

#include <stdlib.h>

struct node {
	struct node *next;
	void *data;
};

static struct node *node_new(void *data)
{
	struct node *n = malloc(sizeof *n);

	if (!n)
		abort();
	n->data = data;
	n->next = NULL;
	return n;
}

int a, b;
struct node *first, *second;

int main(void)
{
	struct node *p;

	for (int i = 0; i < 3; i++) {
		p = node_new(&a);
		p->next = first;
		first = p;
	}
	for (int i = 0; i < 3; i++) {
		p = node_new(&b);
		p->next = second;
		second = p;
	}
	expect(first, "heap:30");
	expect(second, "heap:35");
	for (p = first; p; p = p->next)
		expect(p, "heap:30");
	expect(second->next, "heap:35");
	expect(second->next->next, "heap:35");
	expect(first->data, "a b"); /* the constructor is one function for all its callers */
	return 0;
}
