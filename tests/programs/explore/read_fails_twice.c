/*
 * check-name: the reads of two threads fail, in every order
 * check-command: heddle explore -- $exe
 * check-run: --switch access --preemptions 100 --sym syscall:read => 184, assert both
 * check-correct: no
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int failed;

static void *work(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY);
	char c;

	if (read(fd, &c, 1) < 0)
		failed++;
	close(fd);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	assert(failed != 2); /* BUG: both */
	return 0;
}
