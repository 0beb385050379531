/*
 * check-name: a loop that waits longer each time: only the time depends on the count
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *setter(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, setter, NULL);
	for (unsigned n = 1; !atomic_load(&flag); n *= 2)
		usleep(n & 1023);
	pthread_join(t, NULL);
	return 0;
}
