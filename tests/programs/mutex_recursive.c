/*
 * check-name: a recursive mutex: nested locking through a call chain, released by the last unlock
 * check-seeds: 100
 * check-output:
 * total 84
 * another thread found it held: yes, yes, no
 * check-output-end
 *
 * ThreadSanitizer warns of the last, wrong unlock, which is the point there.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int total;

static void add(int depth)
{
	assert(pthread_mutex_lock(&lock) == 0);
	total += depth;
	if (depth > 1)
		add(depth - 1);
	assert(pthread_mutex_unlock(&lock) == 0);
}

static void *run(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++)
		add(6);
	return NULL;
}

static void *probe(void *arg)
{
	int err = pthread_mutex_trylock(&lock);

	(void)arg;
	assert(err == 0 || err == EBUSY);
	if (!err)
		pthread_mutex_unlock(&lock);
	return err ? "yes" : "no";
}

static const char *held_for_others(void)
{
	pthread_t t;
	void *answer;

	pthread_create(&t, NULL, probe, NULL);
	pthread_join(t, &answer);
	return answer;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t t;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	pthread_join(t, NULL);
	printf("total %d\n", total);

	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	const char *twice = held_for_others();
	pthread_mutex_unlock(&lock);
	const char *once = held_for_others();
	pthread_mutex_unlock(&lock);
	printf("another thread found it held: %s, %s, %s\n", twice, once, held_for_others());
	assert(pthread_mutex_unlock(&lock) == EPERM);
	pthread_mutex_destroy(&lock);
	return 0;
}
