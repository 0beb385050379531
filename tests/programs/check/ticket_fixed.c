/*
 * check-name: tickets by an atomic addition
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
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

	forced(1);
	*ticket = atomic_fetch_add(&next_ticket, 1);
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
	heddle_assert(mine[0] != mine[1]);
	return 0;
}
