/*
 * check-name: a condition that is tested once breaks by a wake-up without a signal, which --spurious explores
 * check-command: heddle explore --spurious -o $tmp/out -- $exe
 * check-finds: assert once
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;

static void *wait_for_it(void *arg)
{
	pthread_mutex_lock(&m);
#ifdef CORRECT
	while (!go)
#else
	if (!go)
#endif
		pthread_cond_wait(&c, &m);
	assert(go); /* BUG: once */
	pthread_mutex_unlock(&m);
	return arg;
}

static void *give(void *arg)
{
	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, wait_for_it, NULL);
	pthread_create(&u, NULL, give, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
