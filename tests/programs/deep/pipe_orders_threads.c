/*
 * check-name: a pipe is the synchronization: the read comes after the write
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2], answer;

static void *compute(void *arg)
{
	char done = 1;

	(void)arg;
	answer = 5;
	if (write(ends[1], &done, 1) != 1)
		abort();
	return NULL;
}

int main(void)
{
	pthread_t t;
	char done;

	if (pipe(ends))
		return 1;
	pthread_create(&t, NULL, compute, NULL);
	if (read(ends[0], &done, 1) != 1)
		return 1;
	assert(answer == 5);
	pthread_join(t, NULL);
	return 0;
}
