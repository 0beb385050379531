/* Short threads: as many as the first argument says, so many at a time as the second one says. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	sum += (unsigned long)arg;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, at_once = argc > 2 ? atol(argv[2]) : 20;
	pthread_t *t = malloc((size_t)n * sizeof *t);
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 << 10);
	for (long i = 0; i < n; i++) {
		if (i >= at_once)
			pthread_join(t[i - at_once], NULL);
		if (pthread_create(&t[i], &small, add, (void *)i))
			abort();
	}
	for (long i = n > at_once ? n - at_once : 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("%lu\n", sum);
	free(t);
	return 0;
}
