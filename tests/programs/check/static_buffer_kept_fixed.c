/*
 * check-name: the buffer of gmtime is read in the critical section of the call
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int year;

static void *convert(void *arg)
{
	time_t when = 0;

	pthread_mutex_lock(&lock);
	year = gmtime(&when)->tm_year;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, convert, NULL);
	pthread_join(t, NULL);
	assert(year == 70);
	return 0;
}
