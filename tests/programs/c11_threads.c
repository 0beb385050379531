/*
 * check-name: C11 threads: create, join, mutexes of all types, conditions, once, storage, yield
 * check-seeds: 100
 * check-output:
 * results 0 1 4 9 and -5 by thrd_exit
 * call_once ran 1 time, storage destroyed 5 times
 * handed over 10 in order
 * trylock busy, timedlock timed out, recursive ok
 * check-output-end
 *
 * ThreadSanitizer cannot run this: it does not know thrd_create.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t storage;
static int once_count;
static atomic_int destroyed;

static void init(void)
{
	once_count++;
}

static void destroy(void *p)
{
	atomic_fetch_add(&destroyed, 1);
	free(p);
}

static int square(void *arg)
{
	int *copy = malloc(sizeof(*copy));

	call_once(&once, init);
	*copy = *(int *)arg;
	tss_set(storage, copy);
	thrd_yield();
	if (*copy == 4)
		thrd_exit(-5);
	return *(int *)tss_get(storage) * *copy;
}

static mtx_t lock;
static cnd_t turn;
static int slot, whose;

static int consume(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		mtx_lock(&lock);
		while (whose != 1)
			cnd_wait(&turn, &lock);
		assert(slot == i);
		whose = 0;
		cnd_signal(&turn);
		mtx_unlock(&lock);
	}
	return 10;
}

static int busy(void *arg)
{
	struct timespec now;

	timespec_get(&now, TIME_UTC);
	assert(mtx_trylock(arg) == thrd_busy);
	assert(mtx_timedlock(arg, &now) == thrd_timedout);
	return 0;
}

int main(void)
{
	thrd_t t[5], consumer, other;
	int n[5], r[5], handed;
	mtx_t recursive, timed;

	tss_create(&storage, destroy);
	for (int i = 0; i < 5; i++) {
		n[i] = i;
		assert(thrd_create(&t[i], square, &n[i]) == thrd_success);
	}
	for (int i = 0; i < 5; i++)
		assert(thrd_join(t[i], &r[i]) == thrd_success);
	printf("results %d %d %d %d and %d by thrd_exit\n", r[0], r[1], r[2], r[3], r[4]);
	printf("call_once ran %d time, storage destroyed %d times\n", once_count, destroyed);
	tss_delete(storage);

	mtx_init(&lock, mtx_plain);
	cnd_init(&turn);
	thrd_create(&consumer, consume, NULL);
	for (int i = 0; i < 10; i++) {
		mtx_lock(&lock);
		while (whose != 0)
			cnd_wait(&turn, &lock);
		slot = i;
		whose = 1;
		cnd_signal(&turn);
		mtx_unlock(&lock);
	}
	thrd_join(consumer, &handed);
	printf("handed over %d in order\n", handed);
	cnd_destroy(&turn);
	mtx_destroy(&lock);

	mtx_init(&recursive, mtx_recursive);
	mtx_init(&timed, mtx_timed);
	mtx_lock(&timed);
	thrd_create(&other, busy, &timed);
	thrd_join(other, NULL);
	mtx_unlock(&timed);
	assert(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
	assert(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success);
	assert(thrd_equal(thrd_current(), thrd_current()) && !thrd_equal(thrd_current(), other));
	mtx_destroy(&recursive);
	mtx_destroy(&timed);
	printf("trylock busy, timedlock timed out, recursive ok\n");
	return 0;
}
