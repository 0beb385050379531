/*
 * check-name: two threads that fail, whoever comes first
 * check-command: heddle explore -- $exe
 * check-finds: assert one
 * check-finds: assert other
 */
#include <assert.h>
#include <pthread.h>

static int zero;

static void *one(void *arg)
{
#ifndef CORRECT
	assert(zero); /* BUG: one */
#endif
	return arg;
}

static void *other(void *arg)
{
#ifndef CORRECT
	assert(zero > 1); /* BUG: other */
#endif
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, other, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
