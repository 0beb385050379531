/*
 * check-name: every access of a long loop is protected: no race, however far
 * check-command: heddle check --only=race -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t gate;
static int last;

static void note(int i) { last = i; }

static void *many(void *arg)
{
	(void)arg;
	for (int i = 0; i < 500; i++) {
		sem_wait(&gate);
		note(i);
		sem_post(&gate);
	}
	return NULL;
}

static void *few(void *arg)
{
	(void)arg;
	usleep(200000);
	for (int i = 0; i < 9; i++) {
		sem_wait(&gate);
		last = -i;
		sem_post(&gate);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&gate, 0, 1);
	pthread_create(&a, NULL, many, NULL);
	pthread_create(&b, NULL, few, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
