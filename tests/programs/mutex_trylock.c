/*
 * check-name: loops around trylock: back off from the second lock instead of blocking
 * check-seeds: 100
 * check-output:
 * moved 40 units, 100 left in all
 * check-output-end
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int amount[2] = {50, 50}, moved;

static void lock_both(int first)
{
	for (;;) {
		pthread_mutex_lock(&lock[first]);
		if (pthread_mutex_trylock(&lock[!first]) == 0)
			return;
		pthread_mutex_unlock(&lock[first]);
		sched_yield();
	}
}

static void *move(void *arg)
{
	int from = *(int *)arg;

	for (int i = 0; i < 20; i++) {
		lock_both(from);
		amount[from]--;
		amount[!from]++;
		moved++;
		pthread_mutex_unlock(&lock[0]);
		pthread_mutex_unlock(&lock[1]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int from[2] = {0, 1};

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, move, &from[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("moved %d units, %d left in all\n", moved, amount[0] + amount[1]);
	return 0;
}
