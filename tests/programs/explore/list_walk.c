/*
 * check-name: a list that the input builds
 * check-command: heddle explore --sym stdin:3 -- $exe
 * check-finds: null walk
 */
#include <stdlib.h>
#include <unistd.h>

struct node {
	struct node *next;
	unsigned char value;
};

int main(void)
{
	unsigned char c[3];
	struct node *head = NULL, *n;
	int sum = 0;

	if (read(0, c, 3) != 3)
		return 1;
	for (int i = 0; i < 3; i++)
		if (c[i] & 0x80) {
			n = malloc(sizeof *n);
			n->next = head;
			n->value = c[i] & 0x7f;
			head = n;
		}
	for (n = head; n; n = n->next)
		sum += n->value;
#ifdef CORRECT
	if (sum == 254 && head)
#else
	if (sum == 0)
#endif
		sum = head->value; /* BUG: walk */
	return sum > 400;
}
