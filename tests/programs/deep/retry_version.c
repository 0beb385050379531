/*
 * check-name: a pair is read again if its version has changed, but then without looking at the version
 * check-command: heddle check --deep -- $exe
 * check-finds: assert pair
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int version, left, right;

static void change(void)
{
	atomic_fetch_add(&version, 1);
	atomic_fetch_add(&left, 1);
	atomic_fetch_add(&right, 1);
	atomic_fetch_add(&version, 1);
}

static void *writer(void *arg)
{
	natural(1);
	change();
	change();
	return arg;
}

static void *reader(void *arg)
{
	int v = atomic_load(&version), a, b;

	if (v & 1)
		return arg;
	a = atomic_load(&left);
	b = atomic_load(&right);
	if (atomic_load(&version) != v) {
		a = atomic_load(&left);
		b = atomic_load(&right);
	}
	assert(a == b); /* BUG: pair */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
