/*
 * check-name: a thread that waits in native code does not stop the others, and it is told
 * drive: --step 0:1 --step 1:1
 * expect: fate exited 0
 * expect: flags 1
 */
#include <pthread.h>
#include <unistd.h>

static int ends[2], n;

static void *send(void *arg)
{
	n++;
	(void)!write(ends[1], "x", 1);
	return arg;
}

int main(void)
{
	pthread_t t;
	char c;

	(void)!pipe(ends);
	pthread_create(&t, NULL, send, NULL);
	(void)!read(ends[0], &c, 1);
	n++;
	pthread_join(t, NULL);
	return n != 2;
}
