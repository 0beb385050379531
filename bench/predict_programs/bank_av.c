/*
 * Fusion, Table 2, bank-av: N tellers, each with one transaction that is marked as one and is not. A
 * booking reads a balance in one region and writes it in another, with a lock of the branch's total
 * nested inside; each account is booked on by two tellers. usage: bank_av N
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
	add(&accounts[i], -10);
	add(&accounts[(i + 1) % tellers], 10);
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
