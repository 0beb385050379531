/*
 * check-name: locks in an order that the input says
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: deadlock *
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

int main(void)
{
	pthread_mutex_t *first = &a, *second = &b;
	unsigned char c;
	pthread_t t;

	if (read(0, &c, 1) != 1)
		return 1;
	pthread_create(&t, NULL, other, NULL);
#ifndef CORRECT
	if (c == 'r') {
		first = &b;
		second = &a;
	}
#endif
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	pthread_join(t, NULL);
	return 0;
}
