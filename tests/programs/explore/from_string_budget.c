/*
 * check-name: the limits of branches and of time hold in a function of the C library
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-timeout: 20
 * check-run: --from put:$begin@T0,work@T1 --max-branches 4 => any
 * check-run: --from put:$begin@T0,work@T1 --seconds 2 => any
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *volatile last;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void put(const char *path)
{
	last = strdup(path); /* AT: begin */
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
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

	pthread_create(&t, NULL, work, NULL);
	for (int i = 1; i < argc; i++)
		put(argv[i]);
	pthread_join(t, NULL);
	return 0;
}
