/*
 * check-name: readers and writers: a pair of numbers is never seen half written
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * both 30, no torn pair in 60 readings
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

enum { WRITERS = 2, READERS = 4, ROUNDS = 15 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_pairs(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_wrlock(&lock);
		left++;
		right++;
		pthread_rwlock_unlock(&lock);
	}
	return NULL;
}

static void *read_pairs(void *arg)
{
	int *torn = arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_rdlock(&lock);
		*torn += left != right;
		pthread_rwlock_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t w[WRITERS], r[READERS];
	int torn[READERS] = {0}, all_torn = 0;

	for (int i = 0; i < READERS; i++)
		pthread_create(&r[i], NULL, read_pairs, &torn[i]);
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&w[i], NULL, write_pairs, NULL);
	for (int i = 0; i < READERS; i++) {
		pthread_join(r[i], NULL);
		all_torn += torn[i];
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(w[i], NULL);
	if (left == right && !all_torn)
		printf("both %d, no torn pair in %d readings\n", left, READERS * ROUNDS);
	pthread_rwlock_destroy(&lock);
	return 0;
}
