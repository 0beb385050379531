/*
 * check-name: fork and join need one schedule for all inputs
 * check-command: heddle cover --sym argv[1]:2 -- $exe 4
 * check-exit: 0
 * check-output-contains: 1 schedule in 1 epoch
 * check-output-contains: every input is covered
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int scale, part[3];

static void *work(void *arg)
{
	int *p = arg, sum = 0;

	for (int i = 0; i < 5; i++)
		sum += i * scale > 7 ? 1 : i;
	*p = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[3];
	int sum = 0;

	scale = argc > 1 ? atoi(argv[1]) : 0;
	if (scale < 0) { /* ends before any synchronization: a prefix of the schedule */
		fputs("negative\n", stderr);
		exit(2);
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, &part[i]);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], NULL);
		sum += part[i];
	}
	printf("%s\n", sum > 20 ? "large" : "small");
	return 0;
}
