/*
 * check-name: a failure behind 200 million instructions, which cannot be re-executed in the time
 * check-command: heddle check --seconds=40 -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-output-contains: confirmed by replay
 * check-timeout: 120
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stage;

static int get_stage(void)
{
	int s;

	pthread_mutex_lock(&lock);
	s = stage;
	pthread_mutex_unlock(&lock);
	return s;
}

static void set_stage(int s)
{
	pthread_mutex_lock(&lock);
	stage = s;
	pthread_mutex_unlock(&lock);
}

static void *poll_stage(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int s = get_stage();

		if (s == 2)
			break;
		if (s == 1)
			abort();
	}
	return arg;
}

static void *go_on(void *arg)
{
	set_stage(1);
	set_stage(2);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, go_on, NULL);
	for (volatile int i = 0; i < 30000000; i++)
		;
	pthread_create(&b, NULL, poll_stage, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
