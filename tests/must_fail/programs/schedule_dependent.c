/*
 * check-name: an output that depends on the schedule
 * check-native: no
 * check-seeds: 50
 * must-fail: output differs
 * check-output:
 * 1
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void *run(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!first)
		first = *(int *)arg;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int ids[] = {1, 2};
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", first);
	return 0;
}
