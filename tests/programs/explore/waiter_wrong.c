/*
 * check-name: one signal for two kinds of waiters reaches the wrong one, and all threads wait
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: deadlock *
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int a, b;

static void *wait_a(void *arg)
{
	pthread_mutex_lock(&m);
	while (!a)
		pthread_cond_wait(&c, &m);
	b = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *wait_b(void *arg)
{
	pthread_mutex_lock(&m);
	while (!b)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, wait_a, NULL);
	pthread_create(&u, NULL, wait_b, NULL);
	pthread_mutex_lock(&m);
	a = 1;
#ifdef CORRECT
	pthread_cond_broadcast(&c);
#else
	pthread_cond_signal(&c);
#endif
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
