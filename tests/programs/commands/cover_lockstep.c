/*
 * check-name: threads that execute the same number of rounds have one schedule for a round of all
 * check-command: heddle cover --show --sym argv[1]:1 -- $exe 3
 * check-exit: 0
 * check-output-contains: 3 schedules in 2 epochs (1 to 2, 1.5 on average)
 * check-output-contains: every input is covered
 */
#include <pthread.h>

enum { THREADS = 4 };

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
	pthread_t t[THREADS];

	rounds = argc > 1 ? argv[1][0] & 7 : 1;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
