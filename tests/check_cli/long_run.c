/* Many events: two threads update a counter under a lock. Its re-execution and model take long. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, seen[64];

static void *work(void *arg)
{
	long rounds = *(long *)arg;

	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		if (seen[counter % 64] > counter)
			abort();
		seen[counter % 64] = counter;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100000;
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &rounds);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
