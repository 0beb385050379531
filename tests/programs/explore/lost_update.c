/*
 * check-name: two additions, one is lost
 * check-command: heddle explore --switch access -- $exe
 * check-finds: assert sum
 * check-allows: race
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef CORRECT
static atomic_int counter;
#else
static volatile int counter;
#endif

static void *add(void *arg)
{
#ifdef CORRECT
	atomic_fetch_add(&counter, 1);
#else
	counter = counter + 1;
#endif
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(counter == 2); /* BUG: sum */
	return 0;
}
