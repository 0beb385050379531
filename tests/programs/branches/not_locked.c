/*
 * check-name: a value is only different inside the regions of a lock that the reader takes too
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not even
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int a, odd;

static void *writer(void *arg)
{
	pthread_mutex_lock(&lock);
	a = a + 1;
	a = a + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reader(void *arg)
{
	pthread_mutex_lock(&lock);
	if (a & 1) /* BRANCH: even */
		odd = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
