/*
 * check-name: a loop with a lock ends the first epoch
 * check-command: heddle cover --show --sym argv[1]:2 -- $exe 3
 * check-exit: 3
 * check-output-contains: marker: loop in 'work'
 * check-output-contains: every input is covered up to the first epoch markers only
 * check-output-contains: not searched: the epoch that begins with thread 0 in 'main'
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
