/* intrusive lists and trees: from a member back to its container; tags in low bits */
#include "expect.h"

#include <stdint.h>
#include <stdlib.h>

struct link {
	struct link *next, *prev;
};
struct item {
	long id;
	int *value;
	struct link link;
	int *after;
};
#define container_of(p, T, m) ((T *)((char *)(p) - offsetof(T, m)))

struct link head = {&head, &head};
int x, y;

static void add(struct link *l)
{
	l->next = head.next;
	l->prev = &head;
	head.next->prev = l;
	head.next = l;
}

struct tree {
	uintptr_t parent_and_colour;
	struct tree *child;
} root, leaf;

int main(void)
{
	struct item *it = malloc(sizeof *it), *p;
	struct link *l;
	struct tree *t;

	it->value = &x;
	it->after = &y;
	add(&it->link);
	expect(head.next, "head heap:36+16");
	for (l = head.next; l != &head; l = l->next) {
		p = container_of(l, struct item, link);
		expect(p, "head-16 heap:36");
		expect(p->value, "x");
		expect(p->after, "y");
	}
	leaf.parent_and_colour = (uintptr_t)&root | 1;
	expect((void *)leaf.parent_and_colour, "root+1");
	t = (struct tree *)(leaf.parent_and_colour & ~(uintptr_t)3);
	expect(t, "root");
	t->child = &leaf;
	expect(root.child, "leaf");
	expect((void *)(leaf.parent_and_colour & 3), "-");
	return 0;
}
