/*
 * check-name: a message goes there and back twice, and each side answers only if it finds one
 * check-command: heddle check --deep -- $exe
 * check-finds: assert answers
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int there, back, answers;

static void *left(void *arg)
{
	atomic_store(&there, 1);
	if (atomic_load(&back) == 1) {
		atomic_store(&there, 2);
		if (atomic_load(&back) == 2)
			atomic_fetch_add(&answers, 1);
	}
	return arg;
}

static void *right(void *arg)
{
	natural(1);
	for (int i = 1; i <= 2; i++) {
		if (atomic_load(&there) != i)
			break;
		atomic_store(&back, i);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, left, NULL);
	pthread_create(&t2, NULL, right, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(atomic_load(&answers) == 0); /* BUG: answers */
	return 0;
}
