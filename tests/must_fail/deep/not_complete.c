/*
 * check-name: a second run is needed, and not allowed
 * check-command: heddle check --deep --max-runs 1 -- $exe
 * check-complete: yes
 * must-fail: check-complete: not complete
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag, seen;

static void *setter(void *arg)
{
	usleep(30000);
	atomic_store(&flag, 1);
	return arg;
}

static void *reader(void *arg)
{
	if (atomic_load(&flag))
		atomic_store(&seen, 1);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, setter, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
