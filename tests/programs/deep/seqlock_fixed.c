/*
 * check-name: a sequence lock: the reader gets both halves of one write
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int seq, left, right;

static void *writer(void *arg)
{
	atomic_store(&seq, 1);
	atomic_store(&left, 1);
	atomic_store(&right, 1);
	atomic_store(&seq, 2);
	return arg;
}

static void *reader(void *arg)
{
	int s, l, r;

	do {
		while ((s = atomic_load(&seq)) & 1)
			sched_yield();
		l = atomic_load(&left);
		r = atomic_load(&right);
	} while (atomic_load(&seq) != s);
	assert(l == r);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, writer, NULL);
	natural(1);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
