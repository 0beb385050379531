/*
 * check-name: the address of a thread-local variable used after its thread has ended
 * check-command: heddle exec -- $exe
 * check-seeds: 20
 * check-exit: 66
 * check-error-contains: use after thread exit
 */
#include <pthread.h>
#include <stdio.h>

static _Thread_local int mine = 3;

static void *escape(void *arg)
{
	*(int **)arg = &mine;
	return NULL;
}

int main(void)
{
	pthread_t t;
	int *p;

	pthread_create(&t, NULL, escape, &p);
	pthread_join(t, NULL);
	printf("%d\n", *p);
	return 0;
}
