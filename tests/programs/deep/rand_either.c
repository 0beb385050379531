/*
 * check-name: two threads draw the first two random numbers of a stream, in either order
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int a, b;

static void *draw(void *arg)
{
	*(int *)arg = rand() % 1000;
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	int first, second;

	srand(1);
	first = rand() % 1000;
	second = rand() % 1000;
	srand(1);
	pthread_create(&t, NULL, draw, &a);
	pthread_create(&u, NULL, draw, &b);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert((a == first && b == second) || (a == second && b == first));
	return 0;
}
