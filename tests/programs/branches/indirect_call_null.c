/*
 * check-name: a callback that is taken away before it is called
 * check-command: heddle branches -- $exe
 * check-branch: bug set
 * check-branch: bug call
 * check-branch-kind: indirect call call
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile int calls;

static void hook(void)
{
	calls = calls + 1;
}

static void (*_Atomic callback)(void) = hook;

static void *caller(void *arg)
{
	if (atomic_load(&callback)) /* BRANCH: set */
		atomic_load(&callback)(); /* BRANCH: call */
	return arg;
}

static void *remover(void *arg)
{
	atomic_store(&callback, NULL);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, caller, NULL);
	natural(1);
	pthread_create(&t2, NULL, remover, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
