/*
 * Fusion, Table 2, bank-sav: as bank_av.c, and a teller has the counter alone for each booking,
 * but not for both: the balances are right, the total is seen half done. usage: bank_sav N
 */
#include "../../include/heddle/heddle.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX = 16 };
static struct account {
	pthread_mutex_t lock;
	long balance;
} accounts[MAX];
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int tellers = 2;

/* One teller at a time: a variable and a condition instead of a lock that is held throughout. */
static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t counter_free = PTHREAD_COND_INITIALIZER;
static int busy;

static void enter(void)
{
	pthread_mutex_lock(&counter_lock);
	while (busy)
		pthread_cond_wait(&counter_free, &counter_lock);
	busy = 1;
	pthread_mutex_unlock(&counter_lock);
}

static void leave(void)
{
	pthread_mutex_lock(&counter_lock);
	busy = 0;
	pthread_cond_signal(&counter_free);
	pthread_mutex_unlock(&counter_lock);
}

static void add(struct account *a, long amount)
{
	long balance;

	pthread_mutex_lock(&a->lock);
	balance = a->balance;
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_lock(&a->lock);
	a->balance = balance + amount;
	pthread_mutex_lock(&total_lock);
	total += amount;
	pthread_mutex_unlock(&total_lock);
	pthread_mutex_unlock(&a->lock);
}

static void *teller(void *arg)
{
	int i = (int)(intptr_t)arg;

	heddle_atomic_begin();
	enter();
	add(&accounts[i], -10);
	leave();
	enter();
	add(&accounts[(i + 1) % tellers], 10);
	leave();
	heddle_atomic_end();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];

	if (argc > 1)
		tellers = atoi(argv[1]);
	for (int i = 0; i < tellers; i++) {
		pthread_mutex_init(&accounts[i].lock, NULL);
		accounts[i].balance = 100;
	}
	for (int i = 0; i < tellers; i++) {
		pthread_create(&t[i], NULL, teller, (void *)(intptr_t)i);
		usleep(5000);
	}
	for (int i = 0; i < tellers; i++)
		pthread_join(t[i], NULL);
	return total != 0;
}
