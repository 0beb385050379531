/*
 * check-name: a bank with a lock for each account, taken in order; an auditor who takes them all
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * total 600 in 8 audits, 36 transfers
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { ACCOUNTS = 6, TELLERS = 3, EACH = 12, AUDITS = 8 };

static struct {
	pthread_mutex_t lock;
	int balance;
} account[ACCOUNTS];
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int transfers;

static void transfer(int from, int to, int amount)
{
	int first = from < to ? from : to, second = from < to ? to : from;

	pthread_mutex_lock(&account[first].lock);
	pthread_mutex_lock(&account[second].lock);
	account[from].balance -= amount;
	account[to].balance += amount;
	pthread_mutex_unlock(&account[second].lock);
	pthread_mutex_unlock(&account[first].lock);
	pthread_mutex_lock(&count_lock);
	transfers++;
	pthread_mutex_unlock(&count_lock);
}

static void *teller(void *arg)
{
	unsigned x = *(unsigned *)arg;

	for (int i = 0; i < EACH; i++) {
		x = x * 1103515245 + 12345;
		int from = (int)(x >> 16) % ACCOUNTS;
		int to = (from + 1 + (int)(x >> 20) % 5) % ACCOUNTS;
		transfer(from, to, (int)(x >> 8) % 50);
	}
	return NULL;
}

static int audit(void)
{
	int total = 0;

	for (int i = 0; i < ACCOUNTS; i++)
		pthread_mutex_lock(&account[i].lock);
	for (int i = 0; i < ACCOUNTS; i++)
		total += account[i].balance;
	for (int i = ACCOUNTS; i-- > 0;)
		pthread_mutex_unlock(&account[i].lock);
	return total;
}

int main(void)
{
	pthread_t t[TELLERS];
	unsigned seed[TELLERS];

	for (int i = 0; i < ACCOUNTS; i++) {
		pthread_mutex_init(&account[i].lock, NULL);
		account[i].balance = 100;
	}
	for (int i = 0; i < TELLERS; i++) {
		seed[i] = (unsigned)i + 1;
		pthread_create(&t[i], NULL, teller, &seed[i]);
	}
	for (int i = 0; i < AUDITS; i++)
		assert(audit() == 100 * ACCOUNTS);
	for (int i = 0; i < TELLERS; i++)
		pthread_join(t[i], NULL);
	printf("total %d in %d audits, %d transfers\n", audit(), AUDITS, transfers);
	return 0;
}
