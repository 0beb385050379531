/*
 * check-name: a bounded buffer with semaphores, two producers, and no lock for the index
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'in'
 * check-finds: race in
 * check-allows: race
 * check-allows: atomicity 'in'
 * check-force: exit 1
 */
#include "order.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

enum { ROOM = 4 };
static sem_t room, items;
static int buffer[ROOM], in;

static void *producer(void *arg)
{
	int at;

	sem_wait(&room);
	at = in; /* BUG: in */
	forced(1);
	buffer[at] = (int)(intptr_t)arg;
	in = (at + 1) % ROOM; /* BUG: in */
	sem_post(&items);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	sem_init(&room, 0, ROOM);
	sem_init(&items, 0, 0);
	pthread_create(&t1, NULL, producer, (void *)1);
	natural(1);
	pthread_create(&t2, NULL, producer, (void *)2);
	sem_wait(&items);
	sem_wait(&items);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return buffer[0] + buffer[1] != 3;
}
