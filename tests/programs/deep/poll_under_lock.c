/*
 * check-name: a flag that is polled under a lock is set and reset: the thread may miss it
 * check-command: heddle check --deep -- $exe
 * check-finds: hang poll
 */
#include "../check/order.h"
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void put(int value)
{
	pthread_mutex_lock(&m);
	flag = value;
	pthread_mutex_unlock(&m);
}

static void *setter(void *arg)
{
	put(1);
	natural(2);
	put(0);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, setter, NULL);
	natural(1);
	for (;;) {
		int now;

		pthread_mutex_lock(&m); /* BUG: poll */
		now = flag;
		pthread_mutex_unlock(&m);
		if (now)
			break;
		usleep(1000);
	}
	pthread_join(t, NULL);
	return 0;
}
