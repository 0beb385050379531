#include "queue.h"
#include <stdatomic.h>
#include <stdio.h>

static struct queue q = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0};
static atomic_int sum;

static void *consume(void *arg)
{
	for (int i = 0; i < 5; i++)
		sum += queue_get(&q);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, consume, NULL);
	for (int i = 1; i <= 5; i++)
		queue_put(&q, i);
	pthread_join(t, NULL);
	printf("sum %d\n", sum);
	return sum != 15;
}
