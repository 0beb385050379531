/*
 * check-name: an errorcheck mutex answers misuse with error codes
 * check-seeds: 20
 * check-output:
 * unlock of a free one: EPERM
 * lock: 0
 * lock again: EDEADLK
 * trylock again: EBUSY
 * timedlock again: EDEADLK
 * unlock by another: EPERM
 * trylock by another: EBUSY
 * unlock: 0
 * errno untouched
 * check-output-end
 *
 * ThreadSanitizer warns of the wrong unlocks, which are the point here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void say(const char *what, int err)
{
	printf("%s: %s\n", what, err == 0 ? "0" : err == EPERM ? "EPERM" : err == EBUSY ? "EBUSY" :
		err == EDEADLK ? "EDEADLK" : "something else");
}

static void *other(void *arg)
{
	(void)arg;
	say("unlock by another", pthread_mutex_unlock(&lock));
	say("trylock by another", pthread_mutex_trylock(&lock));
	return NULL;
}

int main(void)
{
	struct timespec past = {0, 0};
	pthread_t t;

	errno = 0;
	say("unlock of a free one", pthread_mutex_unlock(&lock));
	say("lock", pthread_mutex_lock(&lock));
	say("lock again", pthread_mutex_lock(&lock));
	say("trylock again", pthread_mutex_trylock(&lock));
	say("timedlock again", pthread_mutex_timedlock(&lock, &past));
	pthread_create(&t, NULL, other, NULL);
	pthread_join(t, NULL);
	say("unlock", pthread_mutex_unlock(&lock));
	printf("errno %s\n", errno ? "changed" : "untouched");
	return 0;
}
