/* Of the thread 'reader' a prediction knows that it can fail at the second check. In every run but the
 * first one of a folder it fails before, at the first check, which no schedule decides. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *writer(void *arg)
{
	pthread_mutex_lock(&m);
	a = 1;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	b = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *reader(void *arg)
{
	int p, q;

	usleep(60000);
	pthread_mutex_lock(&m);
	p = a;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	q = b;
	pthread_mutex_unlock(&m);
	if (open("ran", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
		abort();
	if (p != q)
		abort();
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
