/*
 * check-name: a thread writes to a variable whose function has returned, in every schedule
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: stack-use-after-return write
 * check-force: no, the memory of the variable stays accessible
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t go;
static pthread_t thread;

static void *work(void *arg)
{
	int *to = arg;

	sem_wait(&go);
	*to = 5; /* BUG: write */
	return NULL;
}

__attribute__((noinline)) static void start(void)
{
	volatile int value = 1;

	pthread_create(&thread, NULL, work, (void *)&value);
}

__attribute__((noinline)) static int use_stack(void)
{
	volatile int a[20];
	int sum = 0;

	for (int i = 0; i < 20; i++)
		a[i] = i;
	sem_post(&go);
	pthread_join(thread, NULL);
	for (int i = 0; i < 20; i++)
		sum += a[i];
	return sum;
}

int main(void)
{
	sem_init(&go, 0, 0);
	start();
	return use_stack() == 190 ? 0 : 0;
}
