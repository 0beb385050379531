/*
 * check-name: an assertion is a decision too
 * check-command: heddle branches -- $exe
 * check-branch: bug order
 * check-branch-kind: assertion order
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun, ended;

static void *job(void *arg)
{
	atomic_fetch_add(&begun, 1);
	atomic_fetch_add(&ended, 1);
	return arg;
}

static void *auditor(void *arg)
{
	assert(atomic_load(&begun) == atomic_load(&ended)); /* BRANCH: order */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, job, NULL);
	natural(1);
	pthread_create(&t2, NULL, auditor, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
