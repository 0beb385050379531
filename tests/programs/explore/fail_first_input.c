/*
 * check-name: two threads that fail for the same input, each before the other
 * check-command: heddle explore -- $exe
 * check-finds: assert one
 * check-finds: assert two
 */
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>

static unsigned char x;

/* Nothing shared is changed: the order does not matter, but for what is seen of the program's end. */
static void *one(void *arg)
{
#ifndef CORRECT
	assert(x != 5); /* BUG: one */
#endif
	return arg;
}

static void *two(void *arg)
{
#ifndef CORRECT
	assert(x != 5); /* BUG: two */
#endif
	return arg;
}

int main(void)
{
	pthread_t t[2];

	heddle_input(&x, sizeof x, "x");
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
