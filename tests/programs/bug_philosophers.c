/*
 * check-name: dining philosophers who all take the left fork first: some schedule starves them
 * check-command: heddle exec --seeds=400 -- $exe
 * check-exit: 66
 * check-error-contains: deadlock: every thread waits
 */
#include <pthread.h>

enum { N = 3 };

static pthread_mutex_t fork_[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&fork_[me]);
		pthread_mutex_lock(&fork_[(me + 1) % N]);
		pthread_mutex_unlock(&fork_[(me + 1) % N]);
		pthread_mutex_unlock(&fork_[me]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	int id[N];

	for (int i = 0; i < N; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, dine, &id[i]);
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
