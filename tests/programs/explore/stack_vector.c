/*
 * check-name: another thread writes my variable by a call that gets its address in a structure
 * check-command: heddle explore -- $exe
 * check-run: --switch access => assert changes, "a call of 'readv' and another thread may access the same memory"
 * check-test: no
 * check-correct: no
 */
#include <assert.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static int fd[2];

static void *fills(void *arg)
{
	struct iovec v = *(struct iovec *)arg;

	if (readv(fd[0], &v, 1) != 1)
		_exit(2);
	return NULL;
}

static void *owns(void *arg)
{
	volatile char c = 0;
	struct iovec v = {(void *)&c, 1};
	pthread_t t;
	char x, y;

	pthread_create(&t, NULL, fills, &v);
	x = c;
	y = c;
	assert(x == y); /* BUG: changes */
	pthread_join(t, NULL);
	return arg;
}

int main(void)
{
	pthread_t t;

	if (pipe(fd) || write(fd[1], "x", 1) != 1)
		return 1;
	pthread_create(&t, NULL, owns, NULL);
	pthread_join(t, NULL);
	return 0;
}
