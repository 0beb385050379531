/*
 * check-name: a handshake of two flags: asked, then answered
 * check-command: heddle branches -- $exe
 * check-branch: adhoc asked
 * check-branch: adhoc answered
 * check-branch: not value
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static volatile int request, reply;
static volatile int value;

static void *server(void *arg)
{
	while (!request) /* BRANCH: asked */
		sched_yield();
	value = value * 2;
	reply = 1;
	return arg;
}

static void *client(void *arg)
{
	value = 21;
	request = 1;
	while (!reply) /* BRANCH: answered */
		sched_yield();
	if (value != 42) /* BRANCH: value */
		abort();
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, server, NULL);
	pthread_create(&t2, NULL, client, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
