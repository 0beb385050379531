/*
 * check-name: gmtime returns one object for all threads
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert year
 * check-test: no
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *look(void *arg)
{
	time_t t = arg ? 0 : 365 * 86400;
	struct tm own, *tm;

#ifdef CORRECT
	tm = gmtime_r(&t, &own);
#else
	tm = gmtime(&t);
	(void)own;
#endif
	assert(tm->tm_year == (arg ? 70 : 71)); /* BUG: year */
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, look, (void *)1);
	pthread_create(&u, NULL, look, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
