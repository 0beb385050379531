/*
 * check-name: a pipe that nobody reads: EPIPE, and SIGPIPE before it
 * check-output:
 * signal 13
 * -1 1
 * -1 1
 * ferror 1
 * check-output-end
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t got;

static void note(int sig)
{
	got = sig;
}

int main(void)
{
	int fds[2];
	long n;
	FILE *f;

	if (pipe(fds))
		return 1;
	close(fds[0]);
	signal(SIGPIPE, note);
	n = write(fds[1], "x", 1);
	printf("signal %d\n%ld %d\n", (int)got, n, errno == EPIPE);
	signal(SIGPIPE, SIG_IGN);
	n = write(fds[1], "x", 1);
	printf("%ld %d\n", n, errno == EPIPE);
	f = fdopen(fds[1], "w");
	fputs("text", f);
	fflush(f);
	printf("ferror %d\n", ferror(f) != 0);
	return 0;
}
