/*
 * check-name: an inline function of C99 that no object defines, inlined everywhere
 * check-output-contains: 2
 */
#include <pthread.h>
#include <stdio.h>

inline int next(int x)
{
	return x + 1;
}

static int count;

static void *work(void *arg)
{
	count = next(count);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	printf("%d\n", next(count));
	return 0;
}
