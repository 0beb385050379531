/*
 * check-name: the mode of a new file depends on the mask that another thread sets: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: the results of calls that access the file system depend on their order
 */
#include "order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static void *sets(void *arg)
{
	natural(1);
	umask(0777);
	return arg;
}

static void *creates(void *arg)
{
	struct stat st;
	int fd = open("masked.tmp", O_CREAT | O_WRONLY, 0600);

	assert(!fstat(fd, &st) && (st.st_mode & 0777) == 0600);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	umask(0);
	unlink("masked.tmp");
	pthread_create(&t, NULL, sets, NULL);
	pthread_create(&u, NULL, creates, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	unlink("masked.tmp");
	return 0;
}
