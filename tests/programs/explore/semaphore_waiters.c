/*
 * check-name: of two threads that wait for a semaphore, either gets the unit
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert order
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t units, ready[2], done;
static int order[2], n;

static void *take(void *arg)
{
	int me = (int)(long)arg;

	if (me) /* surely after the other */
		sem_wait(&ready[0]);
	else
		sem_post(&ready[0]);
	sem_wait(&units);
	order[n++] = me;
	sem_post(&done);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&units, 0, 0);
	sem_init(&ready[0], 0, 0);
	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, take, (void *)0);
	pthread_create(&u, NULL, take, (void *)1);
	sem_post(&units);
	sem_wait(&done);
	sem_post(&units);
	sem_wait(&done);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
#ifdef CORRECT
	assert(order[0] != order[1]);
#else
	assert(order[0] == 0); /* BUG: order */
#endif
	return 0;
}
