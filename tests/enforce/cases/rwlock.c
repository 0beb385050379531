/*
 * check-name: two readers at once, a writer alone; two readers that want to write
 * drive: --step 0:2 --step 1:1 --step 2:1 --goal stuck
 * expect: fate deadlock 86
 * expect: seen 1
 * expect: wait 1 wrlock point 1 holder 1
 * drive: --step 0:2 --step 1:2
 * expect: diverged 1
 * expect: wait 1 wrlock point 1 holder 1
 */
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *arg)
{
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_wrlock(&l);
	pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
