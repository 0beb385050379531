/*
 * check-name: two threads share the buffer of gmtime, so the order of the calls is a gap
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-finds: nothing
 * check-output-contains: the results of calls that access the buffers of 'localtime', 'gmtime', 'asctime' and 'ctime' depend on their order
 * check-force: no, the order that fails is rare
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int years[2];

static void *convert(void *arg)
{
	int i = *(int *)arg;
	time_t when = (time_t)i * 366 * 24 * 3600;
	struct tm *tm;

	pthread_mutex_lock(&lock);
	tm = gmtime(&when);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	years[i] = tm->tm_year;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int numbers[2] = {0, 1};
	pthread_t t, u;

	pthread_create(&t, NULL, convert, &numbers[0]);
	pthread_create(&u, NULL, convert, &numbers[1]);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return years[1] < years[0];
}
