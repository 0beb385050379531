/*
 * check-name: dining philosophers who take the lower fork first
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 5 philosophers ate 6 times each
 * check-output-end
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 5, MEALS = 6 };

static pthread_mutex_t fork_[N];
static int holder[N], meals[N];

static void eat(int me, int a, int b)
{
	pthread_mutex_lock(&fork_[a]);
	pthread_mutex_lock(&fork_[b]);
	assert(holder[a] == -1 && holder[b] == -1);
	holder[a] = holder[b] = me;
	meals[me]++;
	assert(holder[a] == me && holder[b] == me);
	holder[a] = holder[b] = -1;
	pthread_mutex_unlock(&fork_[b]);
	pthread_mutex_unlock(&fork_[a]);
}

static void *dine(void *arg)
{
	int me = *(int *)arg, left = me, right = (me + 1) % N;

	for (int i = 0; i < MEALS; i++)
		eat(me, left < right ? left : right, left < right ? right : left);
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	int id[N], all = 0;

	for (int i = 0; i < N; i++) {
		pthread_mutex_init(&fork_[i], NULL);
		holder[i] = -1;
		id[i] = i;
	}
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, dine, &id[i]);
	for (int i = 0; i < N; i++) {
		pthread_join(t[i], NULL);
		all += meals[i];
	}
	printf("%d philosophers ate %d times each\n", N, all / N);
	for (int i = 0; i < N; i++)
		pthread_mutex_destroy(&fork_[i]);
	return 0;
}
