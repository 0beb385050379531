/* Two locks, taken in both orders. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *arg)
{
	pthread_mutex_lock(&left);
	pthread_mutex_lock(&right);
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	return arg;
}

static void *back(void *arg)
{
	if (SAME_ORDER) {
		pthread_mutex_lock(&left);
		pthread_mutex_lock(&right);
	} else {
		pthread_mutex_lock(&right);
		pthread_mutex_lock(&left);
	}
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&right);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, forth, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts("done");
	return 0;
}
