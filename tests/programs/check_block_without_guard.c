/*
 * check-name: a freed block whose alignment is too large for protected memory: no proof
 * check-command: heddle check --deep -- $exe
 * check-exit: 3
 * check-output-contains: whether run 1 misuses memory is not known: not every block could be protected
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int started;

static void *use(void *arg)
{
	volatile int *block = aligned_alloc(1 << 17, 1 << 17);

	atomic_fetch_add(&started, 1);
	block[8] = 1;
	free((void *)block);
	block[8] = 2;
	return arg;
}

static void *count(void *arg)
{
	atomic_fetch_add(&started, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
