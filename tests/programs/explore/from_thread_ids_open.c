/*
 * check-name: a counter without a lock, one that is set back, one that is taken twice: no facts about the numbers
 * check-command: heddle explore -- $exe
 * check-run: --from main>bare:$bare@T0,bare:$bare@T1 => assert bare
 * check-run: --from main>back:$back@T0,back:$back@T1 => assert back
 * check-run: --from main>twice:$twice@T0,twice:$twice@T1 => assert twice
 * check-run: --from main>other:$other@T0,other:$other@T1 => assert other
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static long next_bare, next_back, next_twice, next_other, kept[2];

/* both may load the same value */
static void *bare(void *arg)
{
	long me = next_bare++;

	assert(me < 2 && kept[0] != me + 7); /* AT: bare */ /* BUG: bare */
	return arg;
}

/* a thread may set it back, so both may have 0 */
static void *back(void *arg)
{
	long me;

	pthread_mutex_lock(&m);
	me = next_back++;
	if (me == 1)
		next_back = 0;
	pthread_mutex_unlock(&m);
	kept[arg != NULL] = me; /* AT: back */
	pthread_mutex_lock(&m);
	assert(kept[0] != kept[1]); /* BUG: back */
	pthread_mutex_unlock(&m);
	return arg;
}

/* two numbers for each thread: not below the number of threads */
static void *twice(void *arg)
{
	long me = 0;

	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		me = next_twice++;
		pthread_mutex_unlock(&m);
		assert(me < 2); /* AT: twice */ /* BUG: twice */
	}
	return me ? arg : NULL;
}

/* the lock depends on the thread */
static void *other(void *arg)
{
	long me;

	pthread_mutex_lock(arg ? &m : &second);
	me = next_other++;
	pthread_mutex_unlock(arg ? &m : &second);
	kept[arg != NULL] = me; /* AT: other */
	pthread_mutex_lock(&m);
	assert(kept[0] != kept[1]); /* BUG: other */
	pthread_mutex_unlock(&m);
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = {bare, back, twice, other};
	pthread_t t;

	(void)argv;
	pthread_create(&t, NULL, all[argc & 3], &next_back);
	if (argc == 1)
		bare(NULL);
	else if (argc == 2)
		back(NULL);
	else if (argc == 3)
		twice(NULL);
	else
		other(NULL);
	pthread_join(t, NULL);
	return 0;
}
