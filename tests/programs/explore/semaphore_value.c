/*
 * check-name: a semaphore with a first value that is an input
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: deadlock *
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t s;

static void *worker(void *arg)
{
	sem_wait(&s);
	return arg;
}

int main(void)
{
	unsigned char n;
	pthread_t t[2];

	if (read(0, &n, 1) != 1)
		return 1;
#ifdef CORRECT
	if (n % 4 < 2)
		return 2;
#endif
	sem_init(&s, 0, n % 4);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
