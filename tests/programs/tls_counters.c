/*
 * check-name: thread-local variables: initial values, zeroed ones, arrays, addresses, errno
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * each of 4 threads counted from 100 to 110 by itself
 * errno of main is 7
 * check-output-end
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4 };

static _Thread_local int counter = 100;
static __thread char zeroed[64];
_Thread_local struct { int a; double b; const char *s; } mixed = {1, 2.5, "three"};
static int *addresses[THREADS];
static pthread_barrier_t all_there;

static int *count(void)
{
	counter++;
	return &counter;
}

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < (int)sizeof(zeroed); i++)
		assert(zeroed[i] == 0);
	memset(zeroed, me + 1, sizeof(zeroed));
	assert(mixed.a == 1 && mixed.b == 2.5 && !strcmp(mixed.s, "three"));
	mixed.a = me;
	errno = 100 + me;
	for (int i = 0; i < 10; i++)
		addresses[me] = count();
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < THREADS; i++)
		assert(i == me || addresses[i] != &counter);
	assert(mixed.a == me && zeroed[63] == me + 1 && errno == 100 + me);
	*(int *)arg = counter;
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS], right = 0;

	errno = 7;
	pthread_barrier_init(&all_there, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, run, &id[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		right += id[i] == 110;
	}
	assert(counter == 100 && mixed.a == 1);
	printf("each of %d threads counted from 100 to 110 by itself\n", right);
	printf("errno of main is %d\n", errno);
	return 0;
}
