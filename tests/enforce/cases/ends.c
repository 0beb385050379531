/*
 * check-name: how a process ends
 * args: segv
 * drive:
 * expect: fate signal 11
 * expect: status 11|139
 * expect: thread 1 1
 * args: fpe
 * drive:
 * expect: fate signal 8
 * expect: thread 1 0
 * args: abort
 * drive:
 * expect: fate assert 6
 * expect: text abort
 * args: heddle
 * drive:
 * expect: fate assert 6
 * expect: text CASE/ends.c:LINE: work: Assertion `!"so" && arg' failed
 * args: exit
 * drive:
 * expect: fate exited 7
 * args: quick
 * drive:
 * expect: fate exited 9
 * args: term
 * drive:
 * expect: fate running 0
 * expect: status 15
 */
#include <heddle/heddle.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *volatile null;
static volatile int zero;

static void *work(void *arg)
{
	if (!strcmp(arg, "segv"))
		*null = 1;
	if (!strcmp(arg, "fpe"))
		zero = 100 / zero;
	if (!strcmp(arg, "abort"))
		abort();
	if (!strcmp(arg, "heddle"))
		heddle_assert(!"so" && arg);
	if (!strcmp(arg, "exit"))
		exit(7);
	if (!strcmp(arg, "quick"))
		_exit(9);
	if (!strcmp(arg, "term"))
		kill(getpid(), SIGTERM);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argc;
	pthread_create(&t, NULL, work, argv[1]);
	pthread_join(t, NULL);
	return 0;
}
