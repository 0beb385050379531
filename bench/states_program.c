/* For bench_states.py: four threads, a lock, a heap block now and then, and all of them print. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum[4], turn;
static char *last;

static void *work(void *arg)
{
	int me = (int)(long)arg;
	char text[32];

	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof text, "%d.%d", me, i);
		pthread_mutex_lock(&lock);
		sum[me] += ++turn;
		free(last);
		last = strdup(text);
		printf("%s: %d\n", last, sum[me]);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
