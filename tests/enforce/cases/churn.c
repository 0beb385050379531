/*
 * check-name: much that is allocated and freed does not stay; what is the program's own is left alone
 * drive: --mode random --seed 1 --names 0.0
 * expect: fate exited 0
 * expect: flags 4
 */
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static void *given;

/* More than a thread has addresses for. */
static void *churn(void *arg)
{
	for (int i = 0; i < 70; i++) {
		char *p = malloc(50 << 20);

		for (size_t k = 0; k < 50 << 20; k += 4096)
			p[k] = 1;
		free(p);
	}
	for (int i = 0; i < 20000; i++)
		free(malloc(100));
	return arg;
}

/* On a stack that the program gave it. */
static void *placed(void *arg)
{
	char here;

	assert((char *)given < &here && &here < (char *)given + (1 << 20));
	return arg;
}

/* Code that is not traced takes and frees what was allocated here. */
static void to_the_library(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	size_t n = 8;
	char *line = malloc(n), *copy = strdup("x");

	assert(malloc_usable_size(line) >= 8 && malloc_usable_size(copy) >= 2);
	assert(getline(&line, &n, f) > 8 && n > 8);
	fclose(f);
	free(line);
	copy = realloc(copy, 100);
	assert(copy[0] == 'x');
	free(copy);
	assert(!realloc(malloc(3), 0));
}

int main(void)
{
	struct rusage use;
	pthread_attr_t attr;
	pthread_t t;

	pthread_create(&t, NULL, churn, NULL);
	pthread_join(t, NULL);
	given = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, given, 1 << 20);
	pthread_create(&t, &attr, placed, NULL);
	pthread_join(t, NULL);
	to_the_library();
	getrusage(RUSAGE_SELF, &use);
	assert(use.ru_maxrss < 500 << 10);
	return 0;
}
