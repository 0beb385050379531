/*
 * check-name: two threads replace a block and both free the old one
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: double free
 * check-finds: double-free twice
 * check-finds: race slot
 * check-allows: race 'slot'
 * check-allows: atomicity 'slot'
 * check-allows: use-after-free
 * check-force: SIGABRT
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static char *volatile slot;

static void *replacer(void *arg)
{
	char *fresh = malloc(100), *old = slot; /* BUG: slot */

	forced(1);
	slot = fresh; /* BUG: slot */
	free(old); /* BUG: twice */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	slot = malloc(100);
	pthread_create(&t1, NULL, replacer, NULL);
	natural(1);
	pthread_create(&t2, NULL, replacer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(slot);
	return 0;
}
