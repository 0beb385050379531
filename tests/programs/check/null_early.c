/*
 * check-name: a table is used that another thread ought to have made by now
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: null pointer dereference
 * check-finds: null early
 * check-force: SIGSEGV
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static int seen;

static void *maker(void *arg)
{
	int *t = malloc(4 * sizeof(*t));

	forced(1);
	t[2] = 9;
	pthread_mutex_lock(&lock);
	table = t;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *user(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	seen = table[2]; /* BUG: early */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, maker, NULL);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(table);
	return seen != 9;
}
