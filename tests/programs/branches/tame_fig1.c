/*
 * check-name: Tame, Fig. 1: which protocol is used depends on when the monitor sees the network get worse
 * check-command: heddle branches -- $exe
 * check-branch: unclear protocol
 */
#include "../check/order.h"
#include <pthread.h>

static volatile int is_good = 1;
static volatile int fast, slow;

static void *transfer(void *arg)
{
	if (is_good) /* BRANCH: protocol */
		fast = 1;
	else
		slow = 1;
	return arg;
}

static void *monitor(void *arg)
{
	is_good = 0;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, transfer, NULL);
	natural(1);
	pthread_create(&t2, NULL, monitor, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
