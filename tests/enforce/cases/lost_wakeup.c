/*
 * check-name: a signal before the wait is lost, one after it is not
 * drive: --step 0:1 --step 0:2 --goal stuck
 * expect: fate deadlock 86
 * expect: seen 1
 * expect: wait 1 cond-wait point 2 holder -1
 * drive: --step 0:1 --step 1:2 --step 0:2 --step 1:4
 * expect: fate exited 0
 * expect: diverged 0
 * drive: --step 0:1 --step 1:2 --step 1:3
 * expect: diverged 1
 * expect: text segment 2: thread 1 does not reach its scheduling point 3, it is before point 2: it is blocked
 * expect: wait 1 cond-wait point 2 holder -1
 * expect: fate exited 0
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait, NULL);
	pthread_cond_signal(&c);
	pthread_join(t, NULL);
	return 0;
}
