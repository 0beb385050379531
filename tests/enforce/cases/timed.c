/*
 * check-name: a timed wait ends in time or not, as the schedule has it; hours go by at once
 * drive: --step 0:1 --step 1:2 --step 1:3
 * expect: diverged 0
 * expect: fate exited 110
 * drive: --step 0:1 --step 1:2 --step 0:2 --step 1:3
 * expect: diverged 0
 * expect: fate exited 0
 * drive: --step 0:1
 * expect: fate exited 110
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int result;

static void *wait(void *arg)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 3600;
	pthread_mutex_lock(&m);
	result = pthread_cond_timedwait(&c, &m, &t);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait, NULL);
	sleep(7200);
	pthread_cond_signal(&c);
	pthread_join(t, NULL);
	return result;
}
