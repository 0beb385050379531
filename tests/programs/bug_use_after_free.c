/*
 * check-name: a block used after another thread freed it
 * check-command: heddle exec -- $exe
 * check-seeds: 50
 * check-exit: 66
 * check-error-contains: use after free
 * check-error-contains: freed by thread T1
 * check-error-contains: allocated by main thread
 * check-error-contains: in sum
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct numbers {
	int n;
	int at[8];
};

static void *release(void *arg)
{
	free(arg);
	return NULL;
}

static int sum(const struct numbers *v)
{
	int s = 0;

	for (int i = 0; i < v->n; i++)
		s += v->at[i];
	return s;
}

int main(void)
{
	struct numbers *v = calloc(1, sizeof(*v));
	pthread_t t;

	v->n = 8;
	pthread_create(&t, NULL, release, v);
	pthread_join(t, NULL);
	printf("%d\n", sum(v));
	return 0;
}
