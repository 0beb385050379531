/*
 * check-name: the recorded run goes round in circles
 * check-command: heddle check --timeout 1 -- $exe
 * check-exit: 66
 * check-output-contains: hang
 * check-finds: hang now
 * check-natural: hang
 */
#include "order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int done;

static void *spinner(void *arg)
{
	for (; !atomic_load(&done); usleep(1000)) /* BUG: now */
		;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, spinner, NULL);
	pthread_join(t, NULL);
	return 0;
}
