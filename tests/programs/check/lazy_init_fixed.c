/*
 * check-name: an object made by whoever needs it first, with pthread_once
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>

static int storage[2];
static int *instance;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int made;

static void make(void)
{
	int n = atomic_fetch_add(&made, 1);

	forced(1);
	instance = &storage[n % 2];
}

static int *get(void)
{
	pthread_once(&once, make);
	return instance;
}

static void *user(void *arg)
{
	get();
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, user, NULL);
	natural(1);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return made != 1;
}
