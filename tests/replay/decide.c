/*
 * Decisions of one thread by what another one writes, of each kind; which is the first argument. The
 * second says what follows a decision that is not that of the run in which the writer comes first.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int written, divisor = 2, table[8] = {10, 11, 12, 13}, result;
static int one = 1, two = 2;
static int *pointer = &two;
static int by_one(int n)
{
	return n + 1;
}
static int by_two(int n)
{
	return n + 2;
}
static int (*volatile step)(int) = by_two;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *kind, *then;

struct cell {
	int n;
};
static struct cell *list;

static void *writer(void *arg)
{
	struct cell *c = malloc(sizeof *c);

	c->n = 7;
	list = c;
	pthread_mutex_lock(&lock);
	written = 3;
	step = by_one;
	pointer = &one;
	divisor = 5;
	pthread_mutex_unlock(&lock);
	return arg;
}

/* Never returns if something is to follow. */
static void otherwise(void)
{
	if (!strcmp(then, "assert"))
		assert(result > 1000);
	if (!strcmp(then, "crash"))
		*(volatile int *)NULL = 1;
	if (!strcmp(then, "deadlock")) {
		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&lock);
	}
	if (!strcmp(then, "spin"))
		while (!*(volatile int *)&result)
			;
}

static void *decider(void *arg)
{
	usleep(100000); /* the writer first, if nobody says otherwise */
	if (!strcmp(kind, "if")) {
		if (written)
			result = 1;
		else
			otherwise();
	} else if (!strcmp(kind, "switch")) {
		switch (written) {
		case 1: result = 10; break;
		case 2: result = 30; break;
		case 3: result = 20; break;
		default: otherwise();
		}
	} else if (!strcmp(kind, "pointer")) {
		result = *pointer;
	} else if (!strcmp(kind, "heap")) {
		result = list->n;
	} else if (!strcmp(kind, "index")) {
		result = table[written];
	} else if (!strcmp(kind, "call")) {
		result = step(1);
	} else if (!strcmp(kind, "divisor")) {
		result = 100 / (5 - divisor + written);
	} else if (!strcmp(kind, "zero")) {
		result = 100 / written;
	} else if (!strcmp(kind, "try")) {
		if (!pthread_mutex_trylock(&lock))
			pthread_mutex_unlock(&lock);
		else
			result = 1;
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t w, d;

	kind = argc > 1 ? argv[1] : "if";
	then = argc > 2 ? argv[2] : "";
	list = calloc(1, sizeof *list);
	pthread_create(&w, NULL, writer, NULL);
	pthread_create(&d, NULL, decider, NULL);
	pthread_join(w, NULL);
	pthread_join(d, NULL);
	return result; /* tells how it decided */
}
