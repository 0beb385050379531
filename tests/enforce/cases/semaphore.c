/*
 * check-name: a semaphore with one place
 * drive: --step 0:3 --step 1:1 --step 2:1
 * expect: diverged 1
 * expect: wait 2 sem-wait point 0 holder -1
 * expect: fate exited 0
 * drive: --step 0:3 --step 2:1 --step 1:1
 * expect: diverged 1
 * expect: wait 1 sem-wait point 0 holder -1
 * drive: --step 0:3 --step 2:2 --step 1:2
 * expect: diverged 0
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *work(void *arg)
{
	sem_wait(&s);
	sem_post(&s);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&s, 0, 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
