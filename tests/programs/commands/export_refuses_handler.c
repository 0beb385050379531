/*
 * check-name: a handler that unwinding runs is not exported without it
 * check-command: $clang -O1 -g -fexceptions -c -emit-llvm $src -o $tmp/in.bc && heddle export $tmp/in.bc -o $tmp/x.bc; a=$?; test ! -e $tmp/x.bc && exit $a
 * check-exit: 1
 * check-error-contains: unwinding to a handler is not translated exactly
 */
#include <pthread.h>
#include <stdio.h>

static void leave(int *p)
{
	printf("%d\n", *p);
}

static void *run(void *arg)
{
	__attribute__((cleanup(leave))) int here = 7;

	pthread_exit(arg);
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
