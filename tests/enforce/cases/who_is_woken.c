/*
 * check-name: a signal is for whoever passes first of those who waited; a broadcast for all
 * drive: --step 0:2 --step 1:2 --step 2:2 --step 0:3 --step 1:4 --step 2:3
 * expect: diverged 1
 * expect: done 5
 * drive: --step 0:2 --step 1:2 --step 2:2 --step 0:3 --step 2:4 --step 1:3
 * expect: diverged 1
 * expect: done 5
 * drive: --step 0:2 --step 1:2 --step 0:3 --step 2:2 --step 2:3
 * expect: diverged 1
 * expect: done 4
 * drive: --step 0:2 --step 1:2 --step 2:2 --step 0:4 --step 2:4 --step 1:4
 * expect: diverged 0
 * expect: fate exited 0
 * drive: --step 0:2 --step 1:2 --step 2:2 --step 0:3 --step 1:3 --step 0:4 --step 2:3
 * expect: diverged 1
 * expect: done 6
 * expect: wait 2 cond-woken point 2 holder 1
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
	pthread_t a, b;

	pthread_create(&a, NULL, wait, NULL);
	pthread_create(&b, NULL, wait, NULL);
	pthread_cond_signal(&c);
	pthread_cond_broadcast(&c);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
