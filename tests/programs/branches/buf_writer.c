/*
 * check-name: buffered writer: two writers and a count of what was written, without a lock
 * check-command: heddle branches -- $exe
 * check-branch: bug result
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { EACH = 2 };
static volatile int written;
static char buffer[2 * EACH];

static void *writer(void *arg)
{
	char *part = arg;

	for (int i = 0; i < EACH; i++) {
		part[i] = 'x';
		written = written + 1;
	}
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;
	int res = 2 * EACH;

	pthread_create(&t1, NULL, writer, buffer);
	natural(1);
	pthread_create(&t2, NULL, writer, buffer + EACH);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	res -= written;
	if (res != 0) /* BRANCH: result */
		abort();
	return 0;
}
