/*
 * check-name: two mtx_t in one order, with C11 threads
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 * check-force: no, ThreadSanitizer does not know thrd_create
 */
#include "order.h"
#include <threads.h>

static mtx_t a, b;
static int shared;

static int both(void *arg)
{
	mtx_lock(&a);
	forced(1);
	mtx_lock(&b);
	shared++;
	mtx_unlock(&b);
	mtx_unlock(&a);
	return arg != NULL;
}

int main(void)
{
	thrd_t t1, t2;

	mtx_init(&a, mtx_plain);
	mtx_init(&b, mtx_plain);
	thrd_create(&t1, both, NULL);
	natural(1);
	thrd_create(&t2, both, NULL);
	thrd_join(t1, NULL);
	thrd_join(t2, NULL);
	return shared != 2;
}
