/*
 * check-name: a pipe carries a value that depends on the order
 * check-command: heddle check --seconds=20 -- $exe; test $? -ne 0
 * check-exit: 0
 * check-output-contains: assertion
 * check-output-excludes: no failure in any schedule
 */
#include "check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static char letter = 'a';
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *changes(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	letter = 'b';
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *sends(void *arg)
{
	char c;

	pthread_mutex_lock(&lock);
	c = letter;
	pthread_mutex_unlock(&lock);
	write(ends[1], &c, 1);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	char got = 0;

	assert(!pipe(ends));
	pthread_create(&t, NULL, changes, NULL);
	pthread_create(&u, NULL, sends, NULL);
	read(ends[0], &got, 1);
	assert(got == 'a');
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
