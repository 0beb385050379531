/*
 * check-name: two threads create one file under two names of it
 * check-command: heddle check --deep -- $exe
 * check-finds: assert first
 */
#include "../check/order.h"
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char folder[PATH_MAX];

static void *here(void *arg)
{
	natural(1);
	open("one.tmp", O_CREAT | O_EXCL | O_WRONLY, 0600);
	return arg;
}

static void *from_root(void *arg)
{
	char path[PATH_MAX + 20];

	snprintf(path, sizeof path, "%s/./one.tmp", folder);
	assert(open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0); /* BUG: first */
	return arg;
}

int main(void)
{
	pthread_t t, u;

	unlink("one.tmp");
	assert(getcwd(folder, sizeof folder));
	pthread_create(&t, NULL, here, NULL);
	pthread_create(&u, NULL, from_root, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	unlink("one.tmp");
	return 0;
}
