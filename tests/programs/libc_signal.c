/*
 * check-name: signals that a program sends to itself
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t count;
static sigjmp_buf back;

static void handler(int sig)
{
	printf("handler %s %d\n", strsignal(sig), ++count);
	if (sig == SIGUSR2)
		siglongjmp(back, 1);
}

int main(void)
{
	struct sigaction act = {.sa_handler = handler}, old;
	sigset_t set, was;

	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	kill(getpid(), SIGUSR1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &was);
	raise(SIGUSR1);
	puts("blocked");
	sigprocmask(SIG_SETMASK, &was, NULL);
	sigaction(SIGUSR2, &act, &old);
	printf("%d\n", old.sa_handler == SIG_DFL);
	if (!sigsetjmp(back, 1))
		raise(SIGUSR2);
	else
		puts("jumped");
	signal(SIGTERM, SIG_IGN);
	printf("%d\n", raise(SIGTERM));
	return 0;
}
