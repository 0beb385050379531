/*
 * check-name: there is room for one more when it is asked, and not when it is pushed
 * check-command: heddle branches -- $exe
 * check-branch: any room
 * check-branch: may slot
 */
#include "../check/order.h"
#include <pthread.h>

enum { ROOM = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int stack[ROOM + 2], used = ROOM - 1;

static int is_full(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = used;
	pthread_mutex_unlock(&lock);
	return n >= ROOM;
}

static void push(int v)
{
	pthread_mutex_lock(&lock);
	stack[used] = v; /* BRANCH: slot */
	used = used + 1;
	pthread_mutex_unlock(&lock);
}

static void *pusher(void *arg)
{
	if (!is_full()) /* BRANCH: room */
		push(7);
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
