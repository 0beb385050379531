/* Threads that lock, wait for each other, allocate and print, for as many rounds as the first
 * argument says. The second one is the number of threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
	struct item *next;
	unsigned long value;
	char text[24];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static struct item *items;
static unsigned long sum;
static atomic_ulong steps;
static long rounds;

static void put(unsigned long value)
{
	struct item *i = malloc(sizeof *i);

	i->value = value;
	snprintf(i->text, sizeof i->text, "item %lu", value);
	pthread_mutex_lock(&lock);
	i->next = items;
	items = i;
	pthread_cond_signal(&some);
	pthread_mutex_unlock(&lock);
}

static void take(void)
{
	struct item *i;

	pthread_mutex_lock(&lock);
	while (!items)
		pthread_cond_wait(&some, &lock);
	i = items;
	items = i->next;
	sum += i->value + strlen(i->text);
	pthread_mutex_unlock(&lock);
	free(i);
}

static void *work(void *arg)
{
	unsigned long x = (unsigned long)arg, table[64] = {0};

	for (long r = 0; r < rounds; r++) {
		for (int k = 0; k < 200; k++) {
			x = x * 6364136223846793005ul + 1442695040888963407ul;
			table[x >> 58] += x & 7;
		}
		put(table[r & 63]);
		take();
		atomic_fetch_add(&steps, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 3;
	pthread_t *t = malloc((size_t)n * sizeof *t);

	rounds = argc > 1 ? atol(argv[1]) : 1000;
	printf("started\n");
	fflush(stdout);
	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, work, (void *)i))
			abort();
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("%lu steps, %lu\n", atomic_load(&steps), sum);
	free(t);
	return 0;
}
