/*
 * check-name: a thread hands a block that it freed to write(): no proof
 * check-command: heddle check --deep -- $exe
 * check-exit: 3
 * check-output-contains: run 1 failed, and its failure is not among the findings
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int started;
static int file;

static void *send(void *arg)
{
	int *message = malloc(64);

	atomic_fetch_add(&started, 1);
	message[0] = 1;
	free(message);
	if (write(file, message, sizeof *message) < 0)
		atomic_fetch_add(&started, 1);
	return arg;
}

static void *count(void *arg)
{
	atomic_fetch_add(&started, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	file = open("/dev/null", O_WRONLY);
	pthread_create(&a, NULL, send, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
