/* Work of the C library on strings: records are printed, parsed, compared and sorted, by two
 * threads that add up under a lock. Argument: rounds of each. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 200, LENGTH = 64, THREADS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;
static long rounds;

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static unsigned long parse(const char *line)
{
	char copy[LENGTH], *save = NULL;
	unsigned long sum = strlen(line);

	memcpy(copy, line, sum + 1);
	for (char *w = strtok_r(copy, ",:", &save); w; w = strtok_r(NULL, ",:", &save))
		sum = sum * 31 + (strchr("0123456789", *w) ? strtoul(w, NULL, 10) : strlen(w));
	return sum;
}

static void *work(void *arg)
{
	static const char *const names[] = {"warp", "weft", "reed", "shuttle", "treadle"};
	char(*lines)[LENGTH] = malloc(RECORDS * sizeof *lines);
	unsigned x = 12345u + (unsigned)(long)arg;

	if (!lines)
		abort();
	for (long r = 0; r < rounds; r++) {
		unsigned long sum = 0;

		for (int i = 0; i < RECORDS; i++) {
			x = x * 1103515245u + 12345u;
			snprintf(lines[i], LENGTH, "%s:%u,%05d,%x", names[(x >> 16) % 5], x >> 8, i,
				x);
		}
		qsort(lines, RECORDS, LENGTH, compare);
		for (int i = 0; i < RECORDS; i++)
			sum = sum * 17 + parse(lines[i]);
		pthread_mutex_lock(&lock);
		total += sum;
		pthread_mutex_unlock(&lock);
	}
	free(lines);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	rounds = argc > 1 ? atol(argv[1]) : 5000;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%lu\n", total);
	return 0;
}
