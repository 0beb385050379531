/*
 * check-name: a list of which nothing is known but its shape: nodes that are made when they are met
 * check-command: heddle explore -- $exe
 * check-run: --from walk:$loop@T0 --max-branches 8 => assert seven
 */
#include <assert.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};
static struct node *head;

static int walk(struct node *n)
{
	int sum = 0, k = 0;

	for (; n; n = n->next) { /* AT: loop */
		if (n->value > 0 && n->value < 10)
			sum += n->value;
		if (++k == 3)
			break;
	}
	assert(sum != 7); /* BUG: seven */
	return sum;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		struct node *n = malloc(sizeof *n);

		if (!n)
			return 1;
		*n = (struct node){head, argv[i][0]};
		head = n;
	}
	return walk(head);
}
