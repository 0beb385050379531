/* All the ways in which a process ends, while other threads run; the first argument is the way. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int ready, never;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long count;

static void *run(void *arg)
{
	atomic_fetch_add(&ready, 1);
	while (!atomic_load(&never)) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
		if (arg)
			usleep(100);
	}
	return NULL;
}

static void fork_and_wait(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		unsigned long x = 1;

		for (int i = 0; i < 1000; i++)
			x = x * 31 + 7;
		printf("child %lu\n", x);
		fflush(stdout);
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("parent saw %d\n", WEXITSTATUS(status));
}

__attribute__((noinline)) static void crash(volatile int *at)
{
	*at = 5;
}

static void *end(void *arg)
{
	const char *way = arg;
	char *const words[] = {"echo", "hello from echo", NULL};

	while (atomic_load(&ready) < 2)
		usleep(100);
	usleep(2000);
	if (!strcmp(way, "exit"))
		exit(3);
	if (!strcmp(way, "_exit"))
		_exit(4);
	if (!strcmp(way, "quick_exit"))
		quick_exit(5);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "assert"))
		assert(count == 0 && "not zero");
	if (!strcmp(way, "segv"))
		crash(NULL);
	if (!strcmp(way, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(way, "term"))
		raise(SIGTERM);
	if (!strcmp(way, "exec")) {
		fflush(stdout);
		execv("/bin/echo", words);
	}
	if (!strcmp(way, "fork"))
		fork_and_wait();
	return NULL;
}

int main(int argc, char **argv)
{
	char *way = argc > 1 ? argv[1] : "return";
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_create(&t, NULL, run, (void *)1);
	if (strncmp(way, "thread-", 7)) {
		end(way);
	} else {
		pthread_create(&t, NULL, end, way + 7);
		pthread_join(t, NULL);
	}
	printf("main ends\n");
	return 0;
}
