/*
 * check-name: who is last destroys the lock that the other may still want to take for its log
 * check-command: heddle check --deep -- $exe
 * check-finds: destroy lock
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock;
static atomic_int users = 2;
static volatile int log;

static void *user(void *arg)
{
	if (arg)
		natural(1);
	if (atomic_fetch_sub(&users, 1) == 1) {
		pthread_mutex_destroy(&lock); /* BUG: lock */
	} else if (arg) {
		pthread_mutex_lock(&lock); /* BUG: lock */
		log = 1;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_mutex_init(&lock, NULL);
	pthread_create(&t1, NULL, user, NULL);
	pthread_create(&t2, NULL, user, &t1);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
