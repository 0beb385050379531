/*
 * check-name: a thread writes to a variable of a function that waits for the thread
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t go;

static void *work(void *arg)
{
	int *to = arg;

	sem_wait(&go);
	*to = 5;
	return NULL;
}

__attribute__((noinline)) static int start(void)
{
	volatile int value = 1;
	pthread_t thread;

	pthread_create(&thread, NULL, work, (void *)&value);
	sem_post(&go);
	pthread_join(thread, NULL);
	return value;
}

int main(void)
{
	sem_init(&go, 0, 0);
	return start() + start() == 10 ? 0 : 1;
}
