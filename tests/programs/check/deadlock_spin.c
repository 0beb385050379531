/*
 * check-name: two spin locks taken in opposite orders
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock order
 * check-force: hang
 */
#include "order.h"
#include <pthread.h>

static pthread_spinlock_t a, b;
static int shared;

static void *first(void *arg)
{
	pthread_spin_lock(&a);
	forced(1);
	pthread_spin_lock(&b); /* BUG: order */
	shared++;
	pthread_spin_unlock(&b);
	pthread_spin_unlock(&a);
	return arg;
}

static void *second(void *arg)
{
	natural(1);
	pthread_spin_lock(&b);
	forced(1);
	pthread_spin_lock(&a); /* BUG: order */
	shared++;
	pthread_spin_unlock(&a);
	pthread_spin_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return shared != 2;
}
