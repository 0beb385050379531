/*
 * check-name: a ring for one producer and one consumer whose index is a plain variable
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'head'
 * check-finds: race head
 * check-allows: race
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>

enum { ROOM = 4 };
static int ring[ROOM];
static volatile unsigned head, tail;
static int sum;

static void *producer(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		ring[head % ROOM] = i;
		head++; /* BUG: head */
	}
	return arg;
}

static void *consumer(void *arg)
{
	natural(1);
	forced(1);
	while (tail != head) { /* BUG: head */
		sum += ring[tail % ROOM];
		tail++;
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, producer, NULL);
	pthread_create(&t2, NULL, consumer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return sum != 3;
}
