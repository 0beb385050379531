/*
 * check-name: critical sections that do not commute: each order has its result
 * check-command: heddle explore -- $exe
 * check-finds: assert order
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x = 1;

static void *twice(void *arg)
{
	pthread_mutex_lock(&m);
	x = x * 2;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *more(void *arg)
{
	pthread_mutex_lock(&m);
	x = x + 3;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, twice, NULL);
	pthread_create(&b, NULL, more, NULL);
	pthread_create(&c, NULL, twice, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
#ifdef CORRECT
	assert(x == 7 || x == 10 || x == 16);
#else
	assert(x != 10); /* BUG: order */
#endif
	return 0;
}
