/*
 * check-name: the order of two threads decides the result of main
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-output-contains: whether that is a failure is not known
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int digits;

static void *append(void *digit)
{
	pthread_mutex_lock(&lock);
	digits = digits * 2 + *(int *)digit;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int zero = 0, one = 1;
	pthread_t t, u;

	pthread_create(&t, NULL, append, &one);
	pthread_create(&u, NULL, append, &zero);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return digits;
}
