/*
 * check-name: a thread gets the address of a variable of a function that has returned by then
 * check-command: heddle exec --seeds=100 -- $exe
 * check-exit: 66
 * check-error-contains: stack use after return
 * check-error-contains: by thread T1
 */
#include <pthread.h>
#include <stdio.h>

static void *print(void *arg)
{
	printf("%d\n", *(int *)arg);
	return NULL;
}

static pthread_t start(int n)
{
	pthread_t t;
	int copy = n;

	pthread_create(&t, NULL, print, &copy);
	return t;
}

int main(void)
{
	pthread_t t = start(5);

	pthread_join(t, NULL);
	return 0;
}
