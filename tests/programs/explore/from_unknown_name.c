/*
 * check-name: a file name that the initial state does not know: any result, the name is not read
 * check-command: heddle explore -- $exe
 * check-run: --from scan@T1,scan@T2 => any
 * check-run: --from used@T1 => assert failed
 * check-run: --from size_of@T1 => assert empty
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *names[4];
static int next;

static void scan(void)
{
	int fd = open(names[next & 3], O_RDONLY);

	if (fd < 0) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		return;
	}
	close(fd);
}

/* the call may fail */
static void used(void)
{
	int fd = open(names[next & 3], O_RDONLY);

	assert(fd >= 0); /* BUG: failed */
	close(fd);
}

/* the call may succeed with any contents */
static void size_of(void)
{
	struct stat s = {.st_size = 1};

	if (stat(names[next & 3], &s) == 0)
		assert(s.st_size != 0); /* BUG: empty */
}

static void *work(void *arg)
{
	scan();
	used();
	size_of();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	for (int i = 0; i < 4 && i < argc; i++)
		names[i] = argv[i];
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
