/*
 * check-name: a writer that locks for reading on one input
 * check-command: heddle explore --switch access --sym stdin:1 -- $exe
 * check-finds: assert pair
 * check-allows: race
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;
static unsigned char c;

static void *writer(void *arg)
{
#ifdef CORRECT
	pthread_rwlock_wrlock(&rw);
#else
	if (c == 'w')
		pthread_rwlock_rdlock(&rw);
	else
		pthread_rwlock_wrlock(&rw);
#endif
	x = 1;
	y = 1;
	pthread_rwlock_unlock(&rw);
	return arg;
}

int main(void)
{
	pthread_t t;

	if (read(0, &c, 1) != 1)
		return 1;
	pthread_create(&t, NULL, writer, NULL);
	pthread_rwlock_rdlock(&rw);
	assert(x == y); /* BUG: pair */
	pthread_rwlock_unlock(&rw);
	pthread_join(t, NULL);
	return 0;
}
