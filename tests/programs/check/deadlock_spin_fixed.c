/*
 * check-name: two spin locks, one after the other
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static pthread_spinlock_t a, b;
static int in_a, in_b;

static void *first(void *arg)
{
	pthread_spin_lock(&a);
	in_a++;
	pthread_spin_unlock(&a);
	forced(1);
	pthread_spin_lock(&b);
	in_b++;
	pthread_spin_unlock(&b);
	return arg;
}

static void *second(void *arg)
{
	natural(1);
	pthread_spin_lock(&b);
	in_b++;
	pthread_spin_unlock(&b);
	forced(1);
	pthread_spin_lock(&a);
	in_a++;
	pthread_spin_unlock(&a);
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
	return in_a != 2 || in_b != 2;
}
