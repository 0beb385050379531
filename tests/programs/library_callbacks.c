/*
 * check-name: functions of the library call the program back, and the program reads what it wrote then
 * check-output:
abc
3 2 1
 * check-output-end
 */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

static int leaves, comparisons;

static int compare(const void *a, const void *b)
{
	comparisons++;
	return *(const int *)a - *(const int *)b;
}

static void visit(const void *node, VISIT when, int depth)
{
	(void)node;
	(void)depth;
	if (when == leaf || when == postorder)
		leaves++;
}

static void tell(void)
{
	for (int i = 0; i < leaves; i++)
		putchar('a' + i);
	putchar('\n');
}

int main(void)
{
	static int numbers[] = {3, 1, 2};
	void *root = NULL;

	for (int i = 0; i < 3; i++)
		tsearch(&numbers[i], &root, compare);
	twalk(root, visit);
	tell();
	printf("%d %d %d\n", leaves, comparisons > 1 ? 2 : comparisons, tfind(&numbers[0], &root, compare) != NULL);
	return 0;
}
