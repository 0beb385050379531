/*
 * check-name: a thread detached by itself and joined by another: some schedule does both
 * check-command: heddle exec --seeds=100 -- $exe
 * check-exit: 66
 * check-error-contains: bad argument
 */
#include <pthread.h>

static void *detach_self(void *arg)
{
	pthread_detach(pthread_self());
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, detach_self, NULL);
	pthread_join(t, NULL);
	return 0;
}
