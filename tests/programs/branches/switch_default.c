/*
 * check-name: a state that no case knows is only there while the other thread is in its region
 * check-command: heddle branches -- $exe
 * check-branch: bug state
 * check-branch-kind: switch state
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { IDLE, BUSY, BETWEEN = 7 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int state;
static volatile int idle, busy;

static void *looker(void *arg)
{
	switch (state) { /* BRANCH: state */
	case IDLE:
		idle = 1;
		break;
	case BUSY:
		busy = 1;
		break;
	default:
		abort();
	}
	return arg;
}

static void *mover(void *arg)
{
	pthread_mutex_lock(&lock);
	state = BETWEEN;
	state = BUSY;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, looker, NULL);
	natural(1);
	pthread_create(&t2, NULL, mover, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
