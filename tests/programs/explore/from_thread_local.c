/*
 * check-name: thread-local variables of two threads are two, and unknown
 * check-command: heddle explore -- $exe
 * check-run: --from work:$after@T1,work:$after@T2 => assert four
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static _Thread_local int own;

static void *work(void *arg)
{
	long was = (long)arg;

	own = 1;
	own += (int)was; /* AT: after */
	was = own;
	sched_yield();
	assert(own == was);
	assert(own != 4); /* BUG: four */
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	(void)argv;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + argc));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
