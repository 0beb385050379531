/*
 * check-name: a thread joined twice
 * check-command: heddle exec -- $exe
 * check-seeds: 20
 * check-exit: 66
 * check-error-contains: bad argument
 * check-error-contains: thread used after it was joined
 */
#include <pthread.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	pthread_join(t, NULL);
	return 0;
}
