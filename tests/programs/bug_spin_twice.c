/*
 * check-name: a spin lock taken again by the thread that holds it, instead of a hang
 * check-command: heddle exec -- $exe
 * check-seeds: 20
 * check-exit: 66
 * check-error-contains: double lock
 * check-error-contains: spin lock
 */
#include <pthread.h>

static pthread_spinlock_t lock;

static void *take_twice(void *arg)
{
	pthread_spin_lock(&lock);
	if (arg)
		pthread_spin_lock(&lock);
	pthread_spin_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&t, NULL, take_twice, "twice");
	take_twice(NULL);
	pthread_join(t, NULL);
	return 0;
}
