/*
 * check-name: recursive locks, one that is left locked, one locked twice that is not recursive
 * args: left
 * drive: --step 0:1
 * expect: misuse 8 1
 * expect: fate deadlock 86
 * args: well
 * drive: --step 0:1
 * expect: misuse 0
 * expect: fate exited 0
 * args: twice
 * drive: --goal stuck
 * expect: misuse 3 0
 * expect: fate deadlock 86
 * expect: wait 0 lock point \d+ holder 0
 * expect: seen 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	pthread_mutex_lock(&r);
	pthread_mutex_lock(&r);
	pthread_mutex_unlock(&r);
	if (!arg)
		pthread_mutex_unlock(&r);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argc;
	pthread_create(&t, NULL, work, strcmp(argv[1], "left") ? NULL : argv[1]);
	pthread_join(t, NULL);
	pthread_mutex_lock(&r);
	pthread_mutex_unlock(&r);
	if (strcmp(argv[1], "twice"))
		return 0;
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	return 0;
}
