/*
 * check-name: an input that chooses the lock needs two schedules
 * check-command: heddle cover --show --sym argv[1]:3 -- $exe 0
 * check-exit: 0
 * check-output-contains: 2 schedules in 1 epoch
 * check-output-contains: every input is covered
 * check-output-excludes: marker:
 * check-output-excludes: bvslt
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, n;

static void *work(void *arg)
{
	if (x == 0) {
		pthread_mutex_lock(&a);
		n++;
		pthread_mutex_unlock(&a);
	} else {
		pthread_mutex_lock(&b);
		n += 2;
		pthread_mutex_unlock(&b);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	x = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (n > 3) /* decides nothing about synchronization */
		puts("twice b");
	return 0;
}
