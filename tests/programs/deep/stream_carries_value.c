/*
 * check-name: a thread prints a value that depends on the schedule into a file, which the program reads
 * check-command: heddle check --deep -- $exe
 * check-finds: assert value
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static FILE *out;

static void *sets(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	x = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *prints(void *arg)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = x;
	pthread_mutex_unlock(&lock);
	fprintf(out, "%d", seen);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	FILE *in;

	out = fopen("value.tmp", "w");
	pthread_create(&t, NULL, sets, NULL);
	pthread_create(&u, NULL, prints, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	fclose(out);
	in = fopen("value.tmp", "r");
	assert(fgetc(in) == '0'); /* BUG: value */
	remove("value.tmp");
	return 0;
}
