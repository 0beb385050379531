/* Two locks in two orders. With "now" the threads meet in the recorded run, which hangs. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int now;

static void *first(void *arg)
{
	pthread_mutex_lock(&a);
	if (now)
		pthread_barrier_wait(&both);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *second(void *arg)
{
	if (!now)
		usleep(60000);
	pthread_mutex_lock(&b);
	if (now)
		pthread_barrier_wait(&both);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t1, t2;

	(void)argv;
	now = argc > 1;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
