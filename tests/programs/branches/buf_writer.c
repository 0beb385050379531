/*
 * check-name: buffered writer: two writers and one position without a lock; the reader counts in the end
 * branch-bug: result
 * branch-unclear: index
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 8, EACH = 2 };
static volatile int position;
static volatile char buffer[SIZE];

static void *writer(void *arg)
{
	for (int i = 0; i < EACH; i++) {
		int at = position;

		buffer[at] = 'x'; /* BRANCH: index */
		position = at + 1;
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;
	int left = 2 * EACH;

	pthread_create(&t1, NULL, writer, NULL);
	natural(1);
	pthread_create(&t2, NULL, writer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	left -= position;
	if (left != 0) /* BRANCH: result */
		abort();
	return 0;
}
