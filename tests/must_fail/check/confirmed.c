/*
 * check-name: a finding that must stay predicted and is confirmed
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-predicts: deadlock order
 * check-force: hang
 * must-fail: check-predicts: 'deadlock order' is confirmed
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *m, pthread_mutex_t *n)
{
	pthread_mutex_lock(m);
	pthread_mutex_lock(n); /* BUG: order */
	pthread_mutex_unlock(n);
	pthread_mutex_unlock(m);
}

static void *first(void *arg)
{
	both(&a, &b);
	return arg;
}

static void *second(void *arg)
{
	both(&b, &a);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	usleep(20000);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
