/*
 * check-name: prctl sets and gives the name of the calling thread and properties of the process
 * check-output:
name 'walker of trees'
other '' 0
dumpable 1, then 0, error 22
signal 15
privileges 0, then 1
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static char other[16];

static void *work(void *arg)
{
	prctl(PR_SET_NAME, "second");
	pthread_getname_np(pthread_self(), other, sizeof other);
	return arg;
}

int main(void)
{
	char name[16];
	pthread_t t;
	int a, b, signal = 0;

	prctl(PR_SET_NAME, "walker of trees and more");
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	prctl(PR_GET_NAME, name);
	printf("name '%s'\n", name);
	printf("other '%s' %d\n", strcmp(other, "second") ? other : "", strcmp(other, "second"));
	a = prctl(PR_GET_DUMPABLE);
	prctl(PR_SET_DUMPABLE, 0);
	b = prctl(PR_GET_DUMPABLE);
	errno = 0;
	prctl(PR_SET_DUMPABLE, 9);
	printf("dumpable %d, then %d, error %d\n", a, b, errno);
	prctl(PR_SET_PDEATHSIG, 15);
	prctl(PR_GET_PDEATHSIG, &signal);
	printf("signal %d\n", signal);
	a = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	printf("privileges %d, then %d\n", a, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	return 0;
}
