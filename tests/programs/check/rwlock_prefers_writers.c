/*
 * check-name: a waiting writer keeps new readers out, which prediction does not know: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: reader-writer locks that prefer writers are not modelled
 */
#define _GNU_SOURCE
#include "order.h"
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *reads(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_rdlock(&lock); /* waits for ever if a writer waits */
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	return arg;
}

static void *writes(void *arg)
{
	natural(1);
	pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, reads, NULL);
	pthread_create(&u, NULL, writes, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
