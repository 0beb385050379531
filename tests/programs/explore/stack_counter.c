/*
 * check-name: two threads add to a variable on the stack of one of them
 * check-command: heddle explore --switch access -- $exe
 * check-finds: assert lost
 * check-allows: race
 */
#include <assert.h>
#include <pthread.h>

#ifdef CORRECT
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&m)
#define UNLOCK() pthread_mutex_unlock(&m)
#else
#define LOCK() (void)0
#define UNLOCK() (void)0
#endif

static void *add(void *arg)
{
	int *count = arg;

	LOCK();
	++*count;
	UNLOCK();
	return NULL;
}

int main(void)
{
	int count = 0;
	pthread_t t;

	pthread_create(&t, NULL, add, &count);
	LOCK();
	++count;
	UNLOCK();
	pthread_join(t, NULL);
	assert(count == 2); /* BUG: lost */
	return 0;
}
