/*
 * check-name: two mtx_t in opposite orders, with C11 threads
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock order
 * check-force: hang
 */
#include "order.h"
#include <threads.h>

static mtx_t a, b;
static int shared;

static int first(void *arg)
{
	mtx_lock(&a);
	forced(1);
	mtx_lock(&b); /* BUG: order */
	shared++;
	mtx_unlock(&b);
	mtx_unlock(&a);
	return arg != NULL;
}

static int second(void *arg)
{
	natural(1);
	mtx_lock(&b);
	forced(1);
	mtx_lock(&a); /* BUG: order */
	shared++;
	mtx_unlock(&a);
	mtx_unlock(&b);
	return arg != NULL;
}

int main(void)
{
	thrd_t t1, t2;

	mtx_init(&a, mtx_plain);
	mtx_init(&b, mtx_plain);
	thrd_create(&t1, first, NULL);
	thrd_create(&t2, second, NULL);
	thrd_join(t1, NULL);
	thrd_join(t2, NULL);
	return shared != 2;
}
