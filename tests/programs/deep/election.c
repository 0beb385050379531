/*
 * check-name: the first becomes the leader, the others follow him, and he may not have a name yet
 * check-command: heddle check --deep -- $exe
 * check-finds: assert name
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int leader, name;

static void *node(void *arg)
{
	int nobody = 0, me = (int)(long)arg;

	if (atomic_compare_exchange_strong(&leader, &nobody, me))
		atomic_store(&name, me);
	else if (atomic_load(&name) != nobody)
		assert(atomic_load(&name) == nobody); /* BUG: name */
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, node, (void *)1);
	natural(1);
	pthread_create(&t2, NULL, node, (void *)2);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
