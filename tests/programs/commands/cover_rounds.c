/*
 * check-name: a loop with a lock has an epoch of its own: one more round, or the end
 * check-command: heddle cover --show --sym argv[1]:2 -- $exe 3
 * check-exit: 0
 * check-output-contains: marker: loop in 'work'
 * check-output-contains: 3 schedules in 2 epochs (1 to 2, 1.5 on average)
 * check-output-contains: every input is covered
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int rounds, n;

static void *work(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	rounds = argc > 1 ? atoi(argv[1]) : 1;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
