/*
 * check-name: a reader of a sequence lock: it reads again if the number was odd or has changed
 * check-command: heddle branches -- $exe
 * check-branch: adhoc odd
 * check-branch: adhoc again
 * check-branch: not torn
 */
#include "../check/order.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int seq, left, right;

static void *writer(void *arg)
{
	atomic_fetch_add(&seq, 1);
	atomic_store(&left, 1);
	atomic_store(&right, 1);
	atomic_fetch_add(&seq, 1);
	return arg;
}

static void *reader(void *arg)
{
	int s, a, b;

	do {
		while ((s = atomic_load(&seq)) & 1) /* BRANCH: odd */
			sched_yield();
		a = atomic_load(&left);
		b = atomic_load(&right);
	} while (atomic_load(&seq) != s); /* BRANCH: again */
	if (a != b) /* BRANCH: torn */
		abort();
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	natural(1);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
