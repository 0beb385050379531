/* arrays of structures keep their fields apart; walking pointers; embedded arrays */
#include "expect.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	const char *name;
	int *value;
} table[10];
int x, y, z;
const char hello[] = "hello";
int *pointers[4];
struct queue {
	int *slots[8];
	struct queue *next;
};

int main(int argc, char **argv)
{
	struct entry *e, *heap;
	struct queue *q;
	char *s, *t;
	long n;

	(void)argv;
	table[argc].name = hello;
	table[3].value = &x;
	expect(table[argc].name, "hello?"); /* of text no offset is kept */
	expect(table[argc].value, "x");
	expect(table[2].value, "-");
	expect(table[3].value, "x");
	for (e = table; e < table + 10; e++) {
		expect(e, "table table+0%16");
		expect(e->name, "hello?");
		expect(e->value, "x");
	}
	heap = calloc((size_t)argc, sizeof *heap);
	for (e = heap; e < heap + argc; e++)
		e->value = &y;
	expect(heap[argc].value, "y");
	expect(heap[argc].name, "-");
	pointers[argc] = &x;
	pointers[0] = &z;
	expect(pointers[1], "x");
	expect(pointers[0], "x z");
	s = malloc(10);
	for (t = s; *t; t++)
		expect(t, "heap:47 heap:47?");
	n = t - s;
	expect(s + n, "heap:47?");
	expect(strchr(s, 'x'), "heap:47?");
	q = calloc(1, sizeof *q);
	q->next = q;
	q->slots[argc] = &x;
	expect(q->slots[2], "x");
	expect(q->next, "x heap:53"); /* the index may pass the end of the array */
	return 0;
}
