/*
 * check-name: two locks in two orders, and somebody who has nothing to do with it
 * drive: --step 0:3 --step 1:1 --step 2:1 --goal stuck
 * expect: fate deadlock 86
 * expect: seen 1
 * expect: wait 1 lock point 1 holder 2
 * expect: wait 2 lock point 1 holder 1
 * expect: wait 0 join point 4 holder 1
 * expect: count 3 0 2 2
 * drive: --step 0:3 --step 1:2 --goal stuck
 * expect: fate exited 0
 * expect: seen 0
 * drive: --step 0:3 --step 1:1 --step 2:2
 * expect: diverged 1
 * expect: text segment 2: thread 2 does not reach its scheduling point 2, it is before point 1: it is blocked
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *other(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

static void *apart(void *arg)
{
	pthread_mutex_lock(&c);
	pthread_mutex_unlock(&c);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, other, NULL);
	pthread_create(&t[2], NULL, apart, NULL);
	pthread_join(t[2], NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
