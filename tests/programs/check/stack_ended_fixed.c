/*
 * check-name: a thread ends when the thread that uses its variable has ended
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready, done;
static int *shown, seen;

static void *show(void *arg)
{
	int value = 3;

	shown = &value;
	sem_post(&ready);
	sem_wait(&done);
	return arg;
}

static void *look(void *arg)
{
	sem_wait(&ready);
	seen = *shown;
	sem_post(&done);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&ready, 0, 0);
	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, show, NULL);
	pthread_create(&u, NULL, look, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return seen == 3 ? 0 : 1;
}
