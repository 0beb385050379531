/*
 * A bank with THREADS tellers, each of whom moves money from one account to the next. The balance is
 * read in one lock region and written in another: what a colleague did in between is lost.
 */
#include "order.h"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static struct account {
	pthread_mutex_t lock;
	long balance;
} accounts[THREADS];

static void add(struct account *a, long amount)
{
	long balance;

	pthread_mutex_lock(&a->lock);
	balance = a->balance; /* BUG: read */
	pthread_mutex_unlock(&a->lock);
	forced(1);
	pthread_mutex_lock(&a->lock);
	a->balance = balance + amount; /* BUG: write */
	pthread_mutex_unlock(&a->lock);
}

static void *teller(void *arg)
{
	int i = (int)(intptr_t)arg;
	long amount = 10 * (i + 1);

	if (i % 2)
		forced(1);
	add(&accounts[i], -amount);
	add(&accounts[(i + 1) % THREADS], amount);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	long total = 0;

	for (int i = 0; i < THREADS; i++) {
		pthread_mutex_init(&accounts[i].lock, NULL);
		accounts[i].balance = 1000;
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&t[i], NULL, teller, (void *)(intptr_t)i);
		apart();
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		total += accounts[i].balance;
	assert(total == THREADS * 1000); /* BUG: total */
	return 0;
}
