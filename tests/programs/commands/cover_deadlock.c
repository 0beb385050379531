/*
 * check-name: some inputs end in a deadlock
 * check-command: heddle cover --sym argv[1]:1 -- $exe a
 * check-exit: 3
 * check-output-contains: some inputs end in a deadlock
 * check-output-contains: argv[1]  "x"
 * check-output-contains: 2 schedules in 1 epoch
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *work(void *arg)
{
	sem_wait(&ready);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	sem_init(&ready, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	if (argc > 1 && argv[1][0] != 'x')
		sem_post(&ready);
	pthread_join(t, NULL);
	return 0;
}
