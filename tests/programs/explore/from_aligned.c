/*
 * check-name: a block that was aligned by hand, from the middle of the program
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-run: --from work@T1,work@T2 --max-branches 12 => any
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int *masked, *rounded, n;

static void *work(void *arg)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += masked[i] + rounded[i];
	return sum ? arg : NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	char *p;

	n = argc > 1 ? atoi(argv[1]) : 4;
	masked = (int *)(((uintptr_t)calloc(n * sizeof *masked + 64, 1) + 64) & ~63ul);
	p = (char *)calloc(n * sizeof *rounded + 64, 1) + 63;
	rounded = (int *)(p - (uintptr_t)p % 64);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
