/*
 * check-name: a string that the initial state does not know: one length, one copy
 * check-command: heddle explore -- $exe
 * check-run: --from put:$put@T0,work@T1 --max-branches 4 => any
 * check-run: --from long_enough@T0 => assert short
 * check-run: --from same@T0 => any
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *volatile last;
static char *names[4];
static int next;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void put(const char *path)
{
	last = strdup(path); /* AT: put */
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}

/* the string may have any length */
static void long_enough(void)
{
	assert(strlen(names[next & 3]) > 3); /* BUG: short */
}

/* the length stays the same while the string is not written */
static void same(void)
{
	const char *s = names[next & 3];

	assert(strlen(s) == strlen(s));
	assert(!s[strlen(s)]);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	for (int i = 0; i < 4 && i < argc; i++)
		names[i] = argv[i];
	pthread_create(&t, NULL, work, NULL);
	for (int i = 1; i < argc; i++)
		put(argv[i]);
	long_enough();
	same();
	pthread_join(t, NULL);
	return 0;
}
