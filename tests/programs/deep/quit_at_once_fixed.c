/*
 * check-name: main() calls _exit() while its correct threads run
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void *both(void *arg)
{
	natural(2);
	pthread_mutex_lock(&m);
	a++;
	b++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *look(void *arg)
{
	natural(3);
	pthread_mutex_lock(&m);
	assert(a == b);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, both, NULL);
	pthread_create(&t, NULL, look, NULL);
	_exit(0);
}
