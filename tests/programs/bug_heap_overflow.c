/*
 * check-name: each thread writes one element past its part; the last one past the block
 * check-command: heddle exec -- $exe
 * check-seeds: 50
 * check-exit: 66
 * check-error-contains: heap overflow
 * check-error-contains: Write of size 4
 * check-error-contains: 0 bytes after heap block of size 48
 * check-error-contains: by thread T3
 */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, EACH = 4 };

static int *numbers;

static void *fill(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i <= EACH; i++)
		numbers[me * EACH + i] = me;
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS];

	numbers = malloc(THREADS * EACH * sizeof(*numbers));
	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, fill, &id[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	free(numbers);
	return 0;
}
