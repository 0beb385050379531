/*
 * check-name: room is asked for and used in one lock region
 * check-command: heddle branches -- $exe
 * check-branch: unclear room
 * check-branch: not slot
 */
#include "../check/order.h"
#include <pthread.h>

enum { ROOM = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int stack[ROOM], used = ROOM - 1;

static void *pusher(void *arg)
{
	pthread_mutex_lock(&lock);
	if (used < ROOM) { /* BRANCH: room */
		stack[used] = 7; /* BRANCH: slot */
		used = used + 1;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, pusher, NULL);
	natural(1);
	pthread_create(&t2, NULL, pusher, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
