/* Queries of several kinds that a solver must answer, yes and no: locks, a semaphore, data, two sizes. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t units;
static int balance = 10, ready, turns;
static uint64_t total;

static void *depositor(void *arg)
{
	int amount = *(int *)arg;

	sem_wait(&units);
	int b = balance;
	balance = b + amount;
	sem_post(&units);
	pthread_mutex_lock(&lock);
	total += (unsigned)amount;
	ready++;
	turns = 3 * ready;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int amounts[2] = {3, 4};
	pthread_t t[2];

	sem_init(&units, 0, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, depositor, &amounts[i]);
	pthread_mutex_lock(&lock);
	while (ready < 2)
		pthread_cond_wait(&changed, &lock);
	assert(total == 7);
	assert(turns == 6);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(balance <= 17);
	assert(balance == 17);
	return 0;
}
