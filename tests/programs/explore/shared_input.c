/*
 * check-name: which of two threads gets the first byte
 * check-command: heddle explore -- $exe
 * check-finds: assert order
 * check-test: no
 *
 * Who of two threads reads first is nothing that a replay can force.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int fd[2];
static char got[2];

static void *take(void *arg)
{
	if (read(fd[0], arg, 1) != 1)
		_exit(1);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	if (pipe(fd) || write(fd[1], "ab", 2) != 2)
		return 1;
	if (pthread_create(&a, NULL, take, &got[0]) || pthread_create(&b, NULL, take, &got[1]))
		return 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
#ifdef CORRECT
	assert(got[0] != got[1]);
#else
	assert(got[0] < got[1]); /* BUG: order */
#endif
	return 0;
}
