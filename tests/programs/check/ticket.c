/*
 * check-name: two tickets with the same number, told by heddle_assert
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert same
 * check-allows: atomicity 'next_ticket'
 * check-force: SIGABRT
 */
#include "../../../include/heddle/heddle.h"
#include "order.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next_ticket = 1;
static int mine[2];

static void *customer(void *arg)
{
	int *ticket = arg;

	*ticket = atomic_load(&next_ticket);
	forced(1);
	atomic_store(&next_ticket, *ticket + 1);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, customer, &mine[0]);
	natural(1);
	pthread_create(&t2, NULL, customer, &mine[1]);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	heddle_assert(mine[0] != mine[1]); /* BUG: same */
	return 0;
}
