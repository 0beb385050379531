/*
 * check-name: money moved between two accounts in both directions, lower address locked first
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};
struct order {
	struct account *from, *to;
	long amount;
};

static void *transfer(void *arg)
{
	struct order *o = arg;
	struct account *low = o->from < o->to ? o->from : o->to;
	struct account *high = o->from < o->to ? o->to : o->from;

	pthread_mutex_lock(&low->lock);
	forced(1);
	pthread_mutex_lock(&high->lock);
	o->from->balance -= o->amount;
	o->to->balance += o->amount;
	pthread_mutex_unlock(&high->lock);
	pthread_mutex_unlock(&low->lock);
	return NULL;
}

int main(void)
{
	struct account *a = calloc(2, sizeof(*a));
	struct order there = {&a[0], &a[1], 5}, back = {&a[1], &a[0], 5};
	pthread_t t1, t2;
	int bad;

	pthread_mutex_init(&a[0].lock, NULL);
	pthread_mutex_init(&a[1].lock, NULL);
	pthread_create(&t1, NULL, transfer, &there);
	natural(1);
	pthread_create(&t2, NULL, transfer, &back);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	bad = a[0].balance != 0;
	free(a);
	return bad;
}
