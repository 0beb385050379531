/*
 * check-name: a thread truncates a file while another one looks at it through a link
 * check-command: heddle check --deep -- $exe
 * check-finds: assert size
 */
#include "../check/order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static void *truncates(void *arg)
{
	natural(1);
	open("real.tmp", O_TRUNC | O_WRONLY);
	return arg;
}

static void *looks(void *arg)
{
	struct stat st;

	assert(!stat("link.tmp", &st) && st.st_size == 1); /* BUG: size */
	return arg;
}

int main(void)
{
	pthread_t t, u;
	int fd;

	unlink("link.tmp");
	fd = open("real.tmp", O_CREAT | O_TRUNC | O_WRONLY, 0600);
	assert(write(fd, "a", 1) == 1);
	close(fd);
	assert(!symlink("real.tmp", "link.tmp"));
	pthread_create(&t, NULL, truncates, NULL);
	pthread_create(&u, NULL, looks, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	unlink("link.tmp");
	unlink("real.tmp");
	return 0;
}
