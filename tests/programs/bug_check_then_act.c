/*
 * check-name: check and act under the same lock, but not in one piece
 * check-command: heddle exec --seeds=100 -- $exe
 * check-exit: 66
 * check-error-contains: heddle_assert 'balance >= 0' failed
 */
#include "../../include/heddle/heddle.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int enough(int amount)
{
	pthread_mutex_lock(&lock);
	int ok = balance >= amount;
	pthread_mutex_unlock(&lock);
	return ok;
}

static void *withdraw(void *arg)
{
	int amount = *(int *)arg;

	if (enough(amount)) {
		pthread_mutex_lock(&lock);
		balance -= amount;
		heddle_assert(balance >= 0);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int amount[2] = {70, 80};

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, withdraw, &amount[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", balance);
	return 0;
}
