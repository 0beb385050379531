/*
 * check-name: the additions are lost for one amount only
 * check-command: heddle explore --switch access --sym stdin:1 -- $exe
 * check-finds: assert sum
 * check-allows: race
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static unsigned char amount;

static void *add(void *arg)
{
#ifndef CORRECT
	if (amount == 200) { /* a fast path without the lock */
		counter += amount;
		return arg;
	}
#endif
	pthread_mutex_lock(&m);
	counter += amount;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	if (read(0, &amount, 1) != 1)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(counter == 2 * amount); /* BUG: sum */
	return 0;
}
