/*
 * check-name: deposits that read and write the balance in two critical sections
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-output-contains: confirmed by replay
 *
 * Every access holds the lock, so a race detector reports nothing. But the lock is released between
 * reading the balance and writing it back, and a deposit of the other teller in between is lost.
 * Ordinary runs pass: the first teller has finished long before the second begins.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance = 100;

static long get_balance(void)
{
	pthread_mutex_lock(&lock);
	long b = balance;
	pthread_mutex_unlock(&lock);
	return b;
}

static void set_balance(long b)
{
	pthread_mutex_lock(&lock);
	balance = b;
	pthread_mutex_unlock(&lock);
}

static void *teller(void *amount)
{
	set_balance(get_balance() + (long)amount);
	return NULL;
}

int main(void)
{
	pthread_t alice, bob;

	pthread_create(&alice, NULL, teller, (void *)10);
	pthread_create(&bob, NULL, teller, (void *)20);
	pthread_join(alice, NULL);
	pthread_join(bob, NULL);
	assert(balance == 130);
	printf("balance %ld\n", balance);
	return 0;
}
