/*
 * check-name: polling under a lock is no livelock; waiting for a flag that stays is one
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: livelock *
 */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *set(void *arg)
{
	pthread_mutex_lock(&m);
#ifdef CORRECT
	flag = 1;
#endif
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, set, NULL);
	pthread_mutex_lock(&m);
	while (!flag) {
		pthread_mutex_unlock(&m);
		sched_yield();
		pthread_mutex_lock(&m);
	}
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
