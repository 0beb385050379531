/*
 * check-name: a bank whose transfers lock two accounts in the order they are named
 * check-command: heddle exec --seeds=200 -- $exe
 * check-exit: 66
 * check-error-contains: deadlock: every thread waits
 * check-error-contains: waits for pthread_mutex_lock
 * check-error-contains: #0 transfer
 *
 * A transfer from a to b and one from b to a, at the same time, each acquire their first lock and
 * wait for the lock of the other. Ordinary runs pass nearly always. The fix is to lock the account
 * with the lower number first.
 */
#include <pthread.h>
#include <stdio.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

struct order {
	struct account *from, *to;
	long amount;
};

static struct account accounts[2] = {
	{PTHREAD_MUTEX_INITIALIZER, 1000},
	{PTHREAD_MUTEX_INITIALIZER, 1000},
};

static void transfer(const struct order *o)
{
	pthread_mutex_lock(&o->from->lock);
	pthread_mutex_lock(&o->to->lock);
	o->from->balance -= o->amount;
	o->to->balance += o->amount;
	pthread_mutex_unlock(&o->to->lock);
	pthread_mutex_unlock(&o->from->lock);
}

static void *teller(void *arg)
{
	for (int i = 0; i < 10; i++)
		transfer(arg);
	return NULL;
}

int main(void)
{
	struct order orders[2] = {{&accounts[0], &accounts[1], 5}, {&accounts[1], &accounts[0], 7}};
	pthread_t tellers[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&tellers[i], NULL, teller, &orders[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(tellers[i], NULL);
	printf("%ld + %ld\n", accounts[0].balance, accounts[1].balance);
	return 0;
}
