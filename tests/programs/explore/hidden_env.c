/*
 * check-name: a variable of the environment that another thread sets
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert unset
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *set(void *arg)
{
	setenv("HEDDLE_MODE", "fast", 1);
	return arg;
}

int main(void)
{
	pthread_t t;
	const char *s;

	unsetenv("HEDDLE_MODE");
	pthread_create(&t, NULL, set, NULL);
#ifdef CORRECT
	pthread_join(t, NULL);
#endif
	s = getenv("HEDDLE_MODE");
	assert(s); /* BUG: unset */
#ifndef CORRECT
	pthread_join(t, NULL);
#endif
	return strcmp(s, "fast");
}
