/*
 * check-name: a flag is waited for, but not for ever: a loop that counts its rounds, and asks again after it
 * check-command: heddle branches -- $exe
 * check-branch: any wait
 * check-branch: not late
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>

static volatile int ready;
static volatile int gave_up;

static void *giver(void *arg)
{
	ready = 1;
	return arg;
}

static void *taker(void *arg)
{
	for (int i = 0; i < 3; i++) {
		if (ready) /* BRANCH: wait */
			break;
		sched_yield();
	}
	if (!ready) /* BRANCH: late */
		gave_up = 1;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, giver, NULL);
	natural(1);
	pthread_create(&t2, NULL, taker, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
