/*
 * check-name: a try fails only if another thread holds the lock, though its own thread held it before
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int came;

static void *comes(void *arg)
{
	natural(1);
	atomic_store(&came, 1);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *tries(void *arg)
{
	pthread_mutex_lock(&lock);
	assert(pthread_mutex_trylock(&lock) != 0); /* it holds the lock itself */
	pthread_mutex_unlock(&lock);
	if (pthread_mutex_trylock(&lock) != 0)
		assert(atomic_load(&came) == 1);
	else
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, comes, NULL);
	pthread_create(&u, NULL, tries, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
