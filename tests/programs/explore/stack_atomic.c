/*
 * check-name: an atomic variable on the stack of a thread that another thread changes, without --switch access
 * check-command: heddle explore -- $exe
 * check-finds: assert lost
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static void add(atomic_int *count)
{
#ifdef CORRECT
	(*count)++;
#else
	int before = *count;

	*count = before + 1;
#endif
}

static void *work(void *arg)
{
	add(arg);
	return NULL;
}

int main(void)
{
	atomic_int count = 0;
	pthread_t t;

	pthread_create(&t, NULL, work, &count);
	add(&count);
	pthread_join(t, NULL);
	assert(count == 2); /* BUG: lost */
	return 0;
}
