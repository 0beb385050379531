/*
 * check-name: places at which two threads hold one lock are refused: no run has both there
 * check-command: for s in 'work:22@T1,work:22@T2' 'look:30@T1,put:38@T2'; do heddle explore --tests none -o $tmp/out --from "$s" -- $exe 2>&1; echo "status $?"; done; heddle explore --tests none -o $tmp/out --from 'look:30@T1,look:30@T2' -- $exe 2>&1
 * check-output-contains: T1 and T2 hold the same lock at these places
 * check-output-contains: status 1
 * check-output-excludes: status 0
 * check-output-excludes: status 66
 * check-output-excludes: found:
 * check-output-contains: every path was executed to its end
 * check-exit: 0
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *look(void *arg)
{
	pthread_rwlock_rdlock(&rw);
	arg = x ? arg : NULL;
	pthread_rwlock_unlock(&rw);
	return arg;
}

static void *put(void *arg)
{
	pthread_rwlock_wrlock(&rw);
	x++;
	pthread_rwlock_unlock(&rw);
	return arg;
}

int main(void)
{
	void *(*const all[])(void *) = {work, work, look, look, put};
	pthread_t t[5];

	for (int i = 0; i < 5; i++)
		pthread_create(&t[i], NULL, all[i], NULL);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
	return 0;
}
