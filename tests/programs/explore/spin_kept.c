/*
 * check-name: a spin lock that an input leaves held
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: livelock *
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_flag held = ATOMIC_FLAG_INIT;
static int n;
static unsigned char command;

static void *worker(void *arg)
{
	while (atomic_flag_test_and_set(&held))
		;
	n++;
#ifndef CORRECT
	if (command == 'q')
		return arg;
#endif
	atomic_flag_clear(&held);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	if (read(0, &command, 1) != 1)
		return 1;
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return n - 2;
}
