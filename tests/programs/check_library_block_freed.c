/*
 * check-name: a block that a library function made is freed and then written: no proof
 * check-command: heddle check --deep -- $exe
 * check-exit: 3
 * check-output-contains: whether run 1 misuses memory is not known: not every block could be protected
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int started;

static void *use(void *arg)
{
	volatile char *block = strdup("a block of more than 16 bytes");

	atomic_fetch_add(&started, 1);
	block[20] = 1;
	free((void *)block);
	block[20] = 2;
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
