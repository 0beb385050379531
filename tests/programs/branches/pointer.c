/*
 * check-name: a configuration that is replaced while others read it: which one is read is open
 * check-command: heddle branches -- $exe
 * check-branch: unclear read
 * check-branch-kind: pointer dereference read
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>

struct config {
	int level;
};
static struct config old = {1}, new = {2};
static struct config *_Atomic config = &old;
static volatile int level;

static void *reader(void *arg)
{
	level = atomic_load(&config)->level; /* BRANCH: read */
	return arg;
}

static void *replacer(void *arg)
{
	atomic_store(&config, &new);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, reader, NULL);
	natural(1);
	pthread_create(&t2, NULL, replacer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
