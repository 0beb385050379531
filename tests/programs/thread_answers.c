/*
 * check-name: what threads are told about themselves and each other
 * check-seeds: 50
 * check-output:
 * joining oneself: EDEADLK
 * kill with signal 0: 0
 * name of the thread: worker
 * name too long: ERANGE
 * detach state: detached, stack 1048576, guard 0
 * stack too small: EINVAL
 * equal to itself: yes, to another: no
 * a signal mask is inherited: yes
 * check-output-end
 *
 * ThreadSanitizer cannot run this: it does not let a thread join itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *name(int err)
{
	return err == 0 ? "0" : err == EDEADLK ? "EDEADLK" : err == ERANGE ? "ERANGE" :
		err == EINVAL ? "EINVAL" : "something else";
}

static void *end(void *arg)
{
	pthread_setname_np(pthread_self(), "worker");
	pthread_getname_np(pthread_self(), arg, 16);
	return NULL;
}

static void *inherits(void *arg)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGUSR2) ? arg : "no";
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t t;
	sigset_t mask;
	char text[16];
	size_t stack, guard;
	int state;
	void *answer;

	printf("joining oneself: %s\n", name(pthread_join(pthread_self(), NULL)));
	printf("kill with signal 0: %s\n", name(pthread_kill(pthread_self(), 0)));
	pthread_create(&t, NULL, end, text);
	pthread_join(t, NULL);
	printf("name of the thread: %s\n", text);
	printf("name too long: %s\n", name(pthread_setname_np(pthread_self(), "0123456789abcdef")));
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 1 << 20);
	pthread_attr_setguardsize(&attr, 0);
	pthread_attr_getdetachstate(&attr, &state);
	pthread_attr_getstacksize(&attr, &stack);
	pthread_attr_getguardsize(&attr, &guard);
	printf("detach state: %s, stack %zu, guard %zu\n",
		state == PTHREAD_CREATE_DETACHED ? "detached" : "joinable", stack, guard);
	printf("stack too small: %s\n", name(pthread_attr_setstacksize(&attr, 16)));
	pthread_attr_destroy(&attr);
	printf("equal to itself: %s, to another: %s\n",
		pthread_equal(pthread_self(), pthread_self()) ? "yes" : "no",
		pthread_equal(pthread_self(), t) ? "yes" : "no");
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	pthread_create(&t, NULL, inherits, "yes");
	pthread_join(t, &answer);
	printf("a signal mask is inherited: %s\n", (char *)answer);
	return 0;
}
