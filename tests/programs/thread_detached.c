/*
 * check-name: detached threads, by attribute, by the creator and by themselves
 * check-seeds: 100
 * check-output:
 * 9 detached threads have run
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 9 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *run(void *arg)
{
	int *n = arg;

	if (*n % 3 == 2)
		pthread_detach(pthread_self());
	free(n);
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_attr_t detached;
	pthread_t t;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < THREADS; i++) {
		int *n = malloc(sizeof(*n));
		*n = i;
		pthread_create(&t, i % 3 == 0 ? &detached : NULL, run, n);
		if (i % 3 == 1)
			pthread_detach(t);
	}
	pthread_attr_destroy(&detached);
	pthread_mutex_lock(&lock);
	while (done < THREADS)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	printf("%d detached threads have run\n", done);
	return 0;
}
