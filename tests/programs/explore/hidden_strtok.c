/*
 * check-name: strtok has one state for all threads, also if each call is locked
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert mixed
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char x[] = "a,b", y[] = "c,d";
static int bad;

static void *split(void *arg)
{
	char *p, *q;

	pthread_mutex_lock(&m);
	p = strtok(arg, ",");
#ifndef CORRECT
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	q = strtok(NULL, ",");
	if (!q || q != p + 2)
		bad = 1;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, split, x);
	pthread_create(&u, NULL, split, y);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(!bad); /* BUG: mixed */
	return 0;
}
