/*
 * check-name: the order of calls of rand decides which thread gets which number
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert first
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int a, b;

static void *draw(void *to)
{
	*(int *)to = rand() % 1000;
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
#ifdef CORRECT
	assert((a == first && b == second) || (a == second && b == first));
#else
	assert(a == first && b == second); /* BUG: first */
#endif
	return 0;
}
