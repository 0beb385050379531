/*
 * check-name: once: the second waits for the first, which may be stopped inside
 * drive: --step 0:2 --step 1:1 --step 2:1
 * expect: diverged 1
 * expect: wait 2 once point 0 holder 1
 * expect: fate exited 1
 * drive: --step 0:2 --step 1:3 --step 2:1
 * expect: diverged 0
 * expect: fate exited 1
 */
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made;

static void make(void)
{
	made++;
}

static void *use(void *arg)
{
	pthread_once(&once, make);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return made;
}
