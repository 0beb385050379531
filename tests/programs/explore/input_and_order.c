/*
 * check-name: it needs an input and an order
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert both
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value, ready;
static unsigned char c;

static void *writer(void *arg)
{
	pthread_mutex_lock(&m);
	ready = 1;
#ifdef CORRECT
	value = 7;
#endif
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	value = 7;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *reader(void *arg)
{
	pthread_mutex_lock(&m);
	if (ready && c == 42)
		assert(value == 7); /* BUG: both */
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	if (read(0, &c, 1) != 1)
		return 1;
	pthread_create(&t[0], NULL, writer, NULL);
	pthread_create(&t[1], NULL, reader, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
