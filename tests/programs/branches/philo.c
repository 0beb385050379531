/*
 * check-name: philosophers who take their forks in one order: nothing that they decide depends on others
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not meals
 */
#include <pthread.h>
#include <stdlib.h>

enum { N = 3 };
static pthread_mutex_t fork_of[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				     PTHREAD_MUTEX_INITIALIZER};
static int meals[N];

static void *philosopher(void *arg)
{
	int i = (int)(long)arg, a = i, b = (i + 1) % N;

	if (a > b) { /* BRANCH: order */
		a = b;
		b = i;
	}
	pthread_mutex_lock(&fork_of[a]);
	pthread_mutex_lock(&fork_of[b]);
	meals[i]++;
	pthread_mutex_unlock(&fork_of[b]);
	pthread_mutex_unlock(&fork_of[a]);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (long i = 0; i < N; i++)
		pthread_create(&t[i], NULL, philosopher, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < N; i++)
		if (meals[i] != 1) /* BRANCH: meals */
			abort();
	return 0;
}
