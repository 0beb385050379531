/*
 * check-name: a race with the accesses before a protected phase, far from the other thread's
 * check-command: heddle check --only=race -- $exe
 * check-exit: 66
 * check-finds: race note
 * check-force: no, a race has no effect here
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t gate;
static int last;

static void note(int i) { last = i; } /* BUG: note */

static void *many(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2100; i++) {
		if (i >= 2000)
			sem_wait(&gate);
		note(i);
		if (i >= 2000)
			sem_post(&gate);
	}
	return NULL;
}

static void *few(void *arg)
{
	(void)arg;
	usleep(200000);
	for (int i = 0; i < 3; i++) {
		sem_wait(&gate);
		last = -i; /* BUG: note */
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
