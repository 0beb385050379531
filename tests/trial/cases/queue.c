/*
 * check-name: a queue with condition variables, two consumers
 * explore: --max-paths 30
 * seeds: 12
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items[8], put, taken, done;

static void *consume(void *arg)
{
	int got = 0;

	pthread_mutex_lock(&m);
	for (;;) {
		while (taken == put && !done)
			pthread_cond_wait(&more, &m);
		if (taken == put)
			break;
		got = got * 10 + items[taken++];
	}
	pthread_mutex_unlock(&m);
	*(int *)arg = got;
	return NULL;
}

int main(void)
{
	int got[2] = {0, 0};
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, consume, &got[i]);
	for (int i = 1; i <= 3; i++) {
		pthread_mutex_lock(&m);
		items[put++] = i;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	done = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", got[0], got[1]);
	return 0;
}
