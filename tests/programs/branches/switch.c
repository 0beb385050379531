/*
 * check-name: a state machine whose state another thread moves on
 * check-command: heddle branches -- $exe
 * check-branch: unclear state
 * check-branch-kind: switch state
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>

enum { IDLE, BUSY, STOPPED };
static volatile int state;
static volatile int idle, busy, stopped, other;

static void *looker(void *arg)
{
	switch (state) { /* BRANCH: state */
	case IDLE:
		idle = 1;
		break;
	case BUSY:
		busy = 1;
		sched_yield();
		break;
	case STOPPED:
		stopped = 1;
		break;
	default:
		other = 1;
		sched_yield();
	}
	return arg;
}

static void *mover(void *arg)
{
	state = BUSY;
	state = STOPPED;
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
