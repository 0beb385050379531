/*
 * check-name: some inputs end in a deadlock, after any number of rounds
 * check-command: heddle cover --sym argv[1]:1 -- $exe a
 * check-exit: 3
 * check-output-contains: some inputs end in a deadlock
 * check-output-contains: argv[1]
 * check-output-contains: 1 deadlock,
 * check-output-contains: every input is covered
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
static int rounds, n;

static void *work(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	if (rounds > 5)
		sem_wait(&ready);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	rounds = argc > 1 ? argv[1][0] & 7 : 1;
	sem_init(&ready, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	if (rounds == 7)
		sem_post(&ready);
	pthread_join(t, NULL);
	return 0;
}
