/*
 * check-name: two locks taken in two orders: some schedule deadlocks
 * check-command: heddle exec --seeds=100 -- $exe
 * check-exit: 66
 * check-error-contains: deadlock: every thread waits
 * check-error-contains: global 'first'
 * check-error-contains: global 'second'
 */
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int both;

static void *up(void *arg)
{
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&second);
	both++;
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
	return arg;
}

static void *down(void *arg)
{
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&first);
	both--;
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, up, NULL);
	pthread_create(&t[1], NULL, down, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return both;
}
