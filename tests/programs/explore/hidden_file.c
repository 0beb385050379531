/*
 * check-name: of two threads that create a file, one gets it
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert mine
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char path[64];
static int got[2];

static void *create(void *arg)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	got[(long)arg] = fd >= 0;
	if (fd >= 0)
		close(fd);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	snprintf(path, sizeof path, "/tmp/heddle-hidden-%d", (int)getpid());
	unlink(path);
	pthread_create(&t, NULL, create, (void *)0);
	pthread_create(&u, NULL, create, (void *)1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	unlink(path);
#ifdef CORRECT
	assert(got[0] + got[1] == 1);
#else
	assert(got[0]); /* BUG: mine */
#endif
	return 0;
}
