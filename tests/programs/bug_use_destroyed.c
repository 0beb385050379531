/*
 * check-name: a mutex is destroyed when the first of two workers is done
 * check-command: heddle exec --seeds=100 -- $exe
 * check-exit: 66
 * check-error-contains: use of a destroyed object
 * check-error-contains: in thread T2
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, work, NULL);
	pthread_create(&t[1], NULL, work, NULL);
	pthread_join(t[0], NULL);
	pthread_mutex_destroy(&lock);
	pthread_join(t[1], NULL);
	return 0;
}
