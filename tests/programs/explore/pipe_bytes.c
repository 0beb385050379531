/*
 * check-name: symbolic bytes go through a pipe to another thread
 * check-command: heddle explore --sym argv[1]:2 -- $exe
 * check-finds: assert reader
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int fd[2];

static void *reader(void *arg)
{
	unsigned char c[2];

	if (read(fd[0], c, 2) != 2)
		return arg;
#ifdef CORRECT
	if (c[0] == c[1])
		return arg;
#endif
	assert(c[0] != c[1] || c[0] != 'z'); /* BUG: reader */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 2 || pipe(fd) || pthread_create(&t, NULL, reader, NULL))
		return 1;
	if (write(fd[1], argv[1], 2) != 2)
		return 2;
	close(fd[1]);
	pthread_join(t, NULL);
	return 0;
}
