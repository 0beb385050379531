/*
 * check-name: two locks in two orders
 * explore:
 * test: {"schedule": {"access": true, "switches": [{"picks": 3, "thread": 1}, {"picks": 5, "thread": 2}]},
 * test:  "outcome": {"fate": "deadlock"}}
 * says: same: the main thread waits at two_locks.c:\d+ in 'main' for thread 1 \('one'\), thread 1 \('one'\) waits at .* for thread 2 \('two'\), thread 2 \('two'\) waits at .* for thread 1 \('one'\)
 * test: {"outcome": {"fate": "exited", "status": 4}}
 * says: same: exited with 4
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *one(void *arg)
{
	pthread_mutex_lock(&a);
	n++;
	pthread_mutex_lock(&b);
	n++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *two(void *arg)
{
	pthread_mutex_lock(&b);
	n++;
	pthread_mutex_lock(&a);
	n++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, 0, one, 0);
	pthread_create(&u, 0, two, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return n;
}
