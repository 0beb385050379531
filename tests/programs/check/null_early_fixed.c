/*
 * check-name: a table is waited for before it is used
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;
static int *table;
static int seen;

static void *maker(void *arg)
{
	int *t = malloc(4 * sizeof(*t));

	natural(1);
	t[2] = 9;
	pthread_mutex_lock(&lock);
	table = t;
	pthread_cond_signal(&made);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *user(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!table)
		pthread_cond_wait(&made, &lock);
	seen = table[2];
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
