/*
 * check-name: a barrier for a number of threads that is an input
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: deadlock *
 */
#include <pthread.h>
#include <unistd.h>

static pthread_barrier_t b;

static void *work(void *arg)
{
	pthread_barrier_wait(&b);
	return arg;
}

int main(void)
{
	unsigned char n;
	pthread_t t;

	if (read(0, &n, 1) != 1 || n < 1 || n > 3)
		return 1;
#ifdef CORRECT
	if (n > 2)
		return 2;
#endif
	if (n == 1)
		return 3;
	pthread_barrier_init(&b, NULL, n);
	pthread_create(&t, NULL, work, NULL);
	pthread_barrier_wait(&b);
	pthread_join(t, NULL);
	pthread_barrier_destroy(&b);
	return 0;
}
