/*
 * check-name: the value of a semaphore after a failed try may be that of a later post
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: abort value
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static sem_t s;
static atomic_int x;

static void *set(void *arg)
{
	sem_wait(&s);
	atomic_store(&x, 1);
	sem_post(&s);
	return arg;
}

static void *look(void *arg)
{
	int value = 0;

	if (sem_trywait(&s)) {
		sem_getvalue(&s, &value);
#ifndef CORRECT
		if (atomic_load(&x) && value > 0)
			abort(); /* BUG: value */
#endif
	} else {
		sem_post(&s);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&s, 0, 1);
	pthread_create(&t, NULL, set, NULL);
	pthread_create(&u, NULL, look, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
