/*
 * check-name: two hundred short threads, ten at a time
 * check-seeds: 100
 * check-output:
 * 200 threads, sum 19900
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 200, AT_ONCE = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, count;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	sum += *(int *)arg;
	count++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[AT_ONCE];
	int n[AT_ONCE];

	for (int i = 0; i < THREADS; i += AT_ONCE) {
		for (int k = 0; k < AT_ONCE; k++) {
			n[k] = i + k;
			if (pthread_create(&t[k], NULL, add, &n[k]))
				return 1;
		}
		for (int k = 0; k < AT_ONCE; k++)
			pthread_join(t[k], NULL);
	}
	printf("%d threads, sum %d\n", count, sum);
	return 0;
}
