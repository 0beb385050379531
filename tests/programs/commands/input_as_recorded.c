/*
 * check-name: a check keeps the input of the user, also where it explores
 * check-command: heddle check --spurious --seconds=10 -- $exe
 * check-exit: 3
 * check-output-contains: the program has symbolic inputs
 * check-output-excludes: Assertion
 */
#include "../../../include/heddle/heddle.h"
#include <assert.h>
#include <pthread.h>

static int v = 5, n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&m);
	n++;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t;

	heddle_input(&v, sizeof v, "v");
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	assert(v == 5 && n == 2);
	return 0;
}
