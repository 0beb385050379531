/*
 * check-name: a lost update, forced and avoided
 * drive: --step 0:2 --step 1:1 --step 2:2 --step 1:2
 * expect: fate assert 6
 * expect: done 4
 * expect: diverged 0
 * expect: text CASE/lost_update.c:LINE: int main(void): Assertion `counter == 2' failed
 * expect: thread 0 4
 * drive: --step 0:2 --step 1:2 --step 2:2
 * expect: fate exited 0
 * expect: diverged 0
 * drive: --step 0:2 --step 1:1 --step 2:1 --goal race --a 1:1 --b 2:1
 * expect: seen 1
 * expect: memory ok .* size 4 write 1 atomic 0
 * drive: --step 0:2 --step 1:0 --step 2:0 --goal race --a 1:0 --b 2:0
 * expect: seen 0
 * expect: memory ok .* size 4 write 0 atomic 0
 * drive: --step 0:2 --step 1:0 --step 2:1 --goal race --a 1:0 --b 2:1
 * expect: seen 1
 * drive: --step 0:2 --step 1:4 --step 2:2 --step 1:3
 * expect: diverged 1
 * expect: done 3
 * expect: text segment 3: thread 1 does not reach its scheduling point 3, it is before point 4: it is past that point
 * drive: --step 1:1
 * expect: diverged 1
 * expect: text segment 0: thread 1 does not reach its scheduling point 1: it was not created yet
 * drive: --step 0:2 --step 1:5
 * expect: diverged 1
 * expect: text segment 1: thread 1 does not reach its scheduling point 5, it is before point 4: it has ended
 * drive: --step 0:2 --step 2:4 --step 1:4
 * expect: diverged 0
 * expect: switch 0:2
 * expect: switch 2:4
 * expect: switch 1:4
 */
#include <assert.h>
#include <pthread.h>

static int counter;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	int v = counter;

	counter = v + 1;
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 2);
	return 0;
}
