/* Two locks, taken in both orders, by other functions than in cycle.c. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *left_first(void *arg)
{
	take(&left, &right);
	return arg;
}

static void *right_first(void *arg)
{
	take(&right, &left);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, left_first, NULL);
	pthread_create(&b, NULL, right_first, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts("done");
	return 0;
}
