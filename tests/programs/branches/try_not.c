/*
 * check-name: tried by the only one who could have it then
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not try
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int sum;

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	sum = sum + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	if (pthread_mutex_trylock(&lock) == 0) { /* BRANCH: try */
		sum = sum + 1;
		pthread_mutex_unlock(&lock);
	}
	return 0;
}
