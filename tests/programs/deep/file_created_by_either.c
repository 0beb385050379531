/*
 * check-name: the thread that creates the file first wins, whichever it is
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static const char path[] = "winner.tmp";
static int winner;

static void *create(void *arg)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	if (fd >= 0) {
		winner = *(int *)arg;
		close(fd);
	}
	return NULL;
}

int main(void)
{
	int numbers[] = {1, 2};
	pthread_t t, u;

	unlink(path);
	pthread_create(&t, NULL, create, &numbers[0]);
	pthread_create(&u, NULL, create, &numbers[1]);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	unlink(path);
	assert(winner == 1 || winner == 2);
	return 0;
}
