/*
 * check-name: read locks that are held at the start: a writer waits for all of them
 * check-command: heddle explore -- $exe
 * check-run: --from one>look:$in@T1,put:$put@T2 => 3
 * check-run: --from one>look:$in@T1,two>look:$in@T3,put:$put@T2 => 30
 * check-run: --from again>look:$in@T1,put:$put@T2 => 6
 * check-run: --from perhaps:$held@T1,put:$put@T2 => assert early, double-unlock held, foreign-unlock held
 * check-run: --from one>look:$in@T1,kept:$kept@T2 => double-lock twice
 * check-run: --from deep:$deep@T1,put:$put@T2 => double-unlock none, foreign-unlock none
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static int look(void)
{
	int v = x;

	assert(x == v); /* AT: in */
	pthread_rwlock_unlock(&rw);
	return v; /* AT: after */
}

static void *one(void *arg)
{
	pthread_rwlock_rdlock(&rw);
	look();
	return arg;
}

static void *two(void *arg)
{
	pthread_rwlock_rdlock(&rw);
	look();
	return arg;
}

static void *again(void *arg)
{
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_rdlock(&rw);
	look();
	pthread_rwlock_unlock(&rw);
	return arg;
}

static void *perhaps(void *arg)
{
	int v = rand() & 1;

	if (v)
		pthread_rwlock_rdlock(&rw);
	pthread_mutex_lock(arg); /* AT: held */
	assert(!x); /* BUG: early */
	if (v)
		pthread_rwlock_unlock(&rw); /* BUG: held */
	return arg;
}

static void *kept(void *arg)
{
	pthread_rwlock_rdlock(&rw);
	x = 2; /* AT: kept */
	pthread_rwlock_wrlock(&rw); /* BUG: twice */
	return arg;
}

static void *deep(void *arg)
{
	for (int i = 0; i < *(int *)arg; i++)
		pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw); /* AT: deep */ /* BUG: none */
	return arg;
}

static void *put(void *arg)
{
	pthread_rwlock_wrlock(&rw); /* AT: put */
	x = 1;
	pthread_rwlock_unlock(&rw);
	return arg;
}

int main(int argc, char **argv)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static void *(*const work[])(void *) = {one, two, again, kept, deep, put};
	pthread_t t[7];

	(void)argv;
	pthread_create(&t[6], NULL, perhaps, &m);
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, work[i], &argc);
	for (int i = 0; i < 7; i++)
		pthread_join(t[i], NULL);
	return 0;
}
